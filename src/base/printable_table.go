// SPDX-License-Identifier: Apache-2.0

// Writes printable_table.h: the runes that Go's %q shows as they are. Run it with Go 1.16
// to 1.20, whose Unicode is version 13, as that of Go 1.18:
// go run printable_table.go > printable_table.h
// With another version of Unicode it writes nothing.
package main

import (
	"fmt"
	"os"
	"strconv"
	"unicode"
)

const lastColumn = 90

type runeRange struct{ first, last rune }

func printable() []runeRange {
	var found []runeRange
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !strconv.IsPrint(r) {
			continue
		}
		if n := len(found); n > 0 && found[n-1].last == r-1 {
			found[n-1].last = r
		} else {
			found = append(found, runeRange{r, r})
		}
	}
	return found
}

func main() {
	if unicode.Version != "13.0.0" {
		fmt.Fprintln(os.Stderr, "this needs Unicode 13, not", unicode.Version)
		return
	}
	fmt.Print(`/* SPDX-License-Identifier: Apache-2.0
 *
 * base/printable_table.h - made by printable_table.go: the runes that Go's %q shows as
 * they are, of Unicode 13. Included by printable.c only.
 */
/* clang-format off */
static const struct rune_range {
    uint32_t first, last;
} printable[] = {
`)
	line := "   "
	for _, r := range printable() {
		item := fmt.Sprintf(" {0x%X, 0x%X},", r.first, r.last)
		if len(line)+len(item) > lastColumn {
			fmt.Println(line)
			line = "   "
		}
		line += item
	}
	fmt.Print(line, "\n};\n/* clang-format on */\n")
}
