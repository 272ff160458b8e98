package main

// ruleScenarios attack the rule engine.
var ruleScenarios = []scenario{
	{
		name: "rules: test clauses", real: true,
		settings: `{"permissions": {"allow": ["Bash(git *)"]}}`,
		attack: func(s *siege) {
			c := s.converse("a", session())
			s.write(s.project("x"), "")
			s.mustAsk(c, "a subscript in [[ ]] is evaluated", "bash: git --version && [[ 'a[$(rm -f x)]' -eq 0 ]]",
				func() bool { return !s.exists(s.project("x")) })
		},
	},
}
