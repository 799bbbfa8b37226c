/* SPDX-License-Identifier: Apache-2.0
 *
 * base/list.c - adding and removing links.
 */
#include "base/list.h"

#include <stddef.h>

void fx_list_add(struct fx_list_link **first, struct fx_list_link *link) {
    link->previous = NULL;
    link->next = *first;
    if (link->next != NULL) {
        link->next->previous = link;
    }
    *first = link;
}

void fx_list_remove(struct fx_list_link **first, struct fx_list_link *link) {
    if (link->previous != NULL) {
        link->previous->next = link->next;
    } else {
        *first = link->next;
    }
    if (link->next != NULL) {
        link->next->previous = link->previous;
    }
    *link = (struct fx_list_link){0};
}
