package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// HCL's parser recurses with every open bracket and every operator that awaits
// an operand, and an overflown stack cannot be recovered from. Nobody needs
// more of them in a configuration than this.
const (
	maxDepth     = 100
	maxOperators = 1000
)

// tooDeep reports a text that could overflow the parser's stack; nil if none of
// that is in it.
func tooDeep(name string, text []byte) *hcl.Diagnostic {
	tokens, _ := hclsyntax.LexConfig(text, name, hcl.InitialPos) // what it complains of, the parser will too
	depth, operators := 0, 0
	for _, token := range tokens {
		switch token.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen,
			hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
			depth = max(depth-1, 0)
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenQuestion:
			operators++
		}
		if depth > maxDepth || operators > maxOperators {
			return &hcl.Diagnostic{
				Severity: hcl.DiagError,
				Summary:  "Too deeply nested",
				Detail:   fmt.Sprintf("A configuration may have %d brackets open at once and %d operators in all.", maxDepth, maxOperators),
				Subject:  &token.Range,
			}
		}
	}
	return nil
}
