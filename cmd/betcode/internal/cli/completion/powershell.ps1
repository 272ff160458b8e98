# PowerShell completion for betcode
Register-ArgumentCompleter -Native -CommandName betcode -ScriptBlock {
    param($word, $line, $position)
    $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    if ($word -eq '') { $words += '""' }
    & betcode __complete @words 2>$null | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if (-not $about) { $about = $value }
        if ($value -notmatch '^[\w@.:/-]+$') { $value = "'" + $value.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
}
