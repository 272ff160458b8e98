package highlight

import "strings"

// language has the lexical rules of a language.
type language struct {
	keywords     map[string]bool
	comments     []string // marks of comments that end with the line
	blocks       []block
	quotes       string // marks of texts on one line
	keys         string // characters behind a word that make it a key
	fold         bool   // upper and lower case are the same
	dashes       bool   // words may contain a dash
	variables    bool   // a word behind $ is a variable
	wordComments bool   // a comment begins only behind a blank
}

// block is a comment or a text that may have several lines.
type block struct {
	open, close string
	kind        Kind
}

// length returns how long a block at the front of a text is; one without an end takes all.
func (b block) length(text string) int {
	if i := strings.Index(text[len(b.open):], b.close); i >= 0 {
		return len(b.open) + i + len(b.close)
	}
	return len(text)
}

func words(text string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		out[word] = true
	}
	return out
}

var (
	slashStar = block{"/*", "*/", Comment}
	backquote = block{"`", "`", Text}
	triple    = []block{{`"""`, `"""`, Text}, {"'''", "'''", Text}}
)

// languages is the table of languages, by the names that blocks of code carry.
var languages = table(map[string]*language{
	"go golang": {
		comments: []string{"//"}, blocks: []block{slashStar, backquote}, quotes: `"'`,
		keywords: words(`break case chan const continue default defer else fallthrough for func go goto if import interface map package
			range return select struct switch type var nil true false iota any bool byte error int int32 int64 rune string uint64 float64`),
	},
	"python py python3": {
		comments: []string{"#"}, blocks: triple, quotes: `"'`,
		keywords: words(`and as assert async await break class continue def del elif else except finally for from global if import in is
			lambda match case nonlocal not or pass raise return try while with yield None True False self`),
	},
	"javascript js jsx typescript ts tsx mjs node": {
		comments: []string{"//"}, blocks: []block{slashStar, backquote}, quotes: `"'`,
		keywords: words(`abstract as async await break case catch class const continue default delete do else enum export extends false
			finally for from function if implements import in instanceof interface let new null of private protected public readonly return
			static super switch this throw true try type typeof undefined var void while yield string number boolean unknown never any`),
	},
	"java kotlin kt swift scala c# cs csharp dart": {
		comments: []string{"//"}, blocks: append([]block{slashStar}, triple...), quotes: `"'`,
		keywords: words(`abstract as break case catch class const continue default do else enum extends final finally for foreach fun func
			guard if implements import in instanceof interface internal is let namespace new null object open override package private
			protected public return static struct super switch this throw throws try using val var void when while true false nil self
			boolean bool byte char double float int long short string String Int`),
	},
	"c cpp c++ cc h hpp objc cuda": {
		comments: []string{"//"}, blocks: []block{slashStar}, quotes: `"'`,
		keywords: words(`alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit
			extern false float for friend goto if inline int long namespace new noexcept nullptr operator override private protected public
			register return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using
			virtual void volatile while include define ifdef ifndef endif pragma NULL size_t`),
	},
	"rust rs": {
		comments: []string{"//"}, blocks: []block{slashStar}, quotes: `"`,
		keywords: words(`as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut
			pub ref return self Self static struct super trait true type unsafe use where while bool char i32 i64 u8 u32 u64 usize f64 str
			String Option Result Some None Ok Err Vec Box`),
	},
	"ruby rb": {
		comments: []string{"#"}, quotes: `"'`, wordComments: true,
		keywords: words(`alias and begin break case class def defined do else elsif end ensure false for if in include module next nil not or
			redo require rescue retry return self super then true undef unless until when while yield attr_reader attr_accessor puts`),
	},
	"php": {
		comments: []string{"//", "#"}, blocks: []block{slashStar}, quotes: `"'`, variables: true,
		keywords: words(`abstract and array as break case catch class clone const continue declare default do echo else elseif extends final
			finally fn for foreach function global if implements include instanceof interface match namespace new null or private protected
			public readonly require return static switch throw trait true false try use var while yield php`),
	},
	"bash sh shell zsh console fish": {
		comments: []string{"#"}, quotes: `"'`, variables: true, wordComments: true, dashes: true,
		keywords: words(`if then else elif fi for while until do done case esac in function select time return exit break continue local
			export readonly declare unset shift source set trap cd echo printf eval exec test`),
	},
	"sql postgresql mysql sqlite": {
		comments: []string{"--"}, blocks: []block{slashStar}, quotes: `"'`, fold: true,
		keywords: words(`select from where and or not null is in as on join left right inner outer full cross group by order having limit
			offset insert into values update set delete create table index view drop alter add column primary key foreign references unique
			default check constraint if exists begin commit rollback transaction with union all distinct case when then else end between
			like returning text integer int bigint boolean varchar timestamp true false`),
	},
	"json jsonc json5": {quotes: `"`, keys: ":", comments: []string{"//"}, keywords: words(`true false null`)},
	"yaml yml":         {quotes: `"'`, keys: ":", comments: []string{"#"}, wordComments: true, dashes: true, keywords: words(`true false null yes no on off`)},
	"toml ini conf properties": {
		quotes: `"'`, keys: "=", comments: []string{"#", ";"}, blocks: triple, wordComments: true, dashes: true, keywords: words(`true false`),
	},
	"css scss less": {
		comments: []string{"//"}, blocks: []block{slashStar}, quotes: `"'`, keys: ":", dashes: true,
		keywords: words(`important inherit initial none auto media import keyframes`),
	},
	"html xml svg vue": {blocks: []block{{"<!--", "-->", Comment}, {"<", ">", Name}}},
	"dockerfile docker": {
		comments: []string{"#"}, quotes: `"'`, variables: true, wordComments: true,
		keywords: words(`FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL AS`),
	},
	"make makefile": {
		comments: []string{"#"}, quotes: `"'`, keys: ":=", variables: true, dashes: true,
		keywords: words(`ifeq ifneq ifdef ifndef else endif include define endef export override PHONY`),
	},
	"proto protobuf thrift graphql": {
		comments: []string{"//", "#"}, blocks: append([]block{slashStar}, triple...), quotes: `"'`,
		keywords: words(`syntax package import option message enum service rpc returns stream repeated optional required oneof map reserved
			extend string bytes bool int32 int64 uint32 uint64 double float type query mutation fragment on interface input union true false`),
	},
	"lua": {
		comments: []string{"--"}, quotes: `"'`,
		keywords: words(`and break do else elseif end false for function goto if in local nil not or repeat return then true until while`),
	},
	"hcl terraform tf nix": {
		comments: []string{"#", "//"}, blocks: []block{slashStar}, quotes: `"`, keys: "=",
		keywords: words(`resource variable output module provider data locals terraform let in if then else with rec inherit true false null for`),
	},
})

// table gives each name of a language a row of its own.
func table(rows map[string]*language) map[string]*language {
	out := map[string]*language{}
	for names, l := range rows {
		for name := range strings.FieldsSeq(names) {
			out[name] = l
		}
	}
	return out
}

// find returns a language by a name as blocks of code carry it, for example "go" or "{.go}"; nil if it is not known.
func find(name string) *language {
	name = strings.TrimLeft(name, "{. ")
	if i := strings.IndexAny(name, " ,}:"); i >= 0 {
		name = name[:i]
	}
	return languages[strings.ToLower(name)]
}
