// SPDX-License-Identifier: Apache-2.0

// Writes runes_table.h: classes and case mappings of runes. Run it with Go 1.16 to 1.20,
// whose Unicode is version 13, as that of Go 1.18:
// go run runes_table.go > runes_table.h
// With another version of Unicode it writes nothing.
package main

import (
	"fmt"
	"os"
	"strconv"
	"unicode"
)

const lastColumn = 90

// The classes of runes.c; a rune is in one of them.
const (
	none = iota
	upper
	lower
	title
	otherLetter
	digit
	otherNumber
	punct
	otherPrintable
	alternating // upper and lower case letters in turn
)

func classOf(r rune) int {
	switch {
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLower(r):
		return lower
	case unicode.IsTitle(r):
		return title
	case unicode.IsLetter(r):
		return otherLetter
	case unicode.IsDigit(r):
		return digit
	case unicode.IsNumber(r):
		return otherNumber
	case unicode.IsPunct(r):
		return punct
	case strconv.IsPrint(r):
		return otherPrintable
	}
	return none
}

type run struct {
	first, last rune
	class       int
}

// Joins the rune to the run before it, if it belongs there.
func (r *run) takes(next rune, class int) bool {
	if r.class == upper && r.first == r.last && class == lower {
		r.class = alternating
	}
	inTurn := lower - int(next-r.first+1)%2 // upper, lower, upper, ...
	if class != r.class && (r.class != alternating || class != inTurn) {
		return false
	}
	r.last = next
	return true
}

func runs() []run {
	found := []run{{0, 0, none}}
	for r := rune(1); r <= unicode.MaxRune; r++ {
		class := classOf(r)
		if !found[len(found)-1].takes(r, class) {
			found = append(found, run{r, r, class})
		}
	}
	return found
}

func write(head string, items []string) {
	fmt.Print(head, " = {\n")
	line := "   "
	for _, item := range items {
		if len(line)+len(item)+2 > lastColumn {
			fmt.Println(line)
			line = "   "
		}
		line += " " + item + ","
	}
	fmt.Print(line, "\n};\n")
}

func caseItem(r unicode.CaseRange) string {
	upper, lower, title := r.Delta[0], r.Delta[1], r.Delta[2]
	deltas := fmt.Sprintf("%d, %d, %d", upper, lower, title)
	if upper == unicode.UpperLower {
		deltas = "IN_TURN"
	} else if title == 0 {
		deltas = fmt.Sprintf("%d, %d", upper, lower)
	}
	return fmt.Sprintf("{0x%X, 0x%X, {%s}}", r.Lo, r.Hi, deltas)
}

func main() {
	if unicode.Version != "13.0.0" {
		fmt.Fprintln(os.Stderr, "this needs Unicode 13, not", unicode.Version)
		return
	}
	fmt.Print(`/* SPDX-License-Identifier: Apache-2.0
 *
 * base/runes_table.h - made by runes_table.go: classes and simple case mappings of runes,
 * of Unicode 13. Included by runes.c only.
 */
/* clang-format off */

/* Where the class changes: the first rune times 16, and its class in the last digit. */
`)
	var classes, cases []string
	for _, r := range runs() {
		classes = append(classes, fmt.Sprintf("0x%X", int(r.first)<<4|r.class))
	}
	for _, r := range unicode.CaseRanges {
		cases = append(cases, caseItem(r))
	}
	write("static const uint32_t rune_classes[]", classes)
	fmt.Print(`
/* First and last rune, and the distance to its upper, lower and title case. IN_TURN: upper
 * and lower case alternate, beginning with upper case. */
`)
	write("static const struct case_range case_ranges[]", cases)
	fmt.Print("/* clang-format on */\n")
}
