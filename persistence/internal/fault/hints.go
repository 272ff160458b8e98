package fault

// Hints about errors of the journal.
const (
	HintNewer   = "A newer betcode wrote this journal: use that version, or one after it."
	HintDamaged = "The journal is damaged: check the disk. 'betcode journal verify' names the damage, 'betcode journal repair' says what" +
		" can be kept, and 'betcode journal restore' brings a backup back."
	HintRepair = "'betcode journal repair' says what would be lost without the part that cannot be read, and leaves it out on request;" +
		" 'betcode journal restore' brings a backup back."
	HintManifest = "No copy of MANIFEST can be read. 'betcode journal repair' makes it again from the files; 'betcode journal restore'" +
		" brings a backup back."
	hintDenied = "The file has to belong to the user of the daemon, who must be able to read and write it: check its owner and mode, and those of its directory."

	hintReadOnly = "The file system is read-only: mount it for writing, or give the daemon another --state-dir."

	HintDisk = "Check the disk that holds the journal and the free space on it."
)
