package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// HCL's parser recurses with every open bracket and with every operator that
// awaits an operand, and an overflown stack cannot be recovered from. Its
// numbers have any size, and to write out 1e999999999 takes forever. Nobody
// needs more of these in a configuration than this.
const (
	maxDepth     = 100
	maxOperators = 1000
)

// beyondBounds reports what in a text would take the parser too far; nil if
// nothing does.
func beyondBounds(name string, text []byte) *hcl.Diagnostic {
	tokens, _ := hclsyntax.LexConfig(text, name, hcl.InitialPos) // what it complains of, the parser will too
	depth, operators := 0, 0
	for _, token := range tokens {
		problem := ""
		switch token.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen,
			hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			if depth++; depth > maxDepth {
				problem = fmt.Sprintf("More than %d brackets are open", maxDepth)
			}
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
			depth = max(depth-1, 0)
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenQuestion,
			hclsyntax.TokenStar, hclsyntax.TokenSlash, hclsyntax.TokenPercent:
			if operators++; operators > maxOperators {
				problem = fmt.Sprintf("There are more than %d operators", maxOperators)
			}
		case hclsyntax.TokenNumberLit:
			if tooLarge(string(token.Bytes)) {
				problem = "The number is too large"
			}
		}
		if problem != "" {
			return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Too much for a configuration", Detail: problem + ".", Subject: &token.Range}
		}
	}
	return nil
}

// tooLarge tells whether the parser must not see a number. What has no exponent
// and is no number, as 10.0.0.1, the parser refuses by itself, and says so better.
func tooLarge(number string) bool {
	_, err := strconv.ParseFloat(number, 64)
	return len(number) > 400 || err != nil && (errors.Is(err, strconv.ErrRange) || strings.ContainsAny(number, "eE"))
}
