# PowerShell completion for betcode
Register-ArgumentCompleter -Native -CommandName betcode -ScriptBlock {
    param($word, $line, $position)
    $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $position } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() }
    })
    # Versions before 7.3 leave out an empty argument; betcode takes two quotes for one.
    if ($word -eq '') { $words += '""' }
    & betcode __complete @words 2>$null | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if (-not $about) { $about = $value }
        $text = $value
        if ($value -notmatch '^[\w./:-][\w@./:-]*$') {
            $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
        }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
