/* SPDX-License-Identifier: Apache-2.0
 *
 * base/list.h - doubly linked lists. A member of a list begins with its link:
 *
 *     struct item { struct fx_list_link link; … };
 *     fx_list_add(&first, &item->link);
 */
#ifndef FX_BASE_LIST_H
#define FX_BASE_LIST_H

/* Zeroed: in no list. */
struct fx_list_link {
    struct fx_list_link *next, *previous;
};

/* Adds the link at the front of the list `*first`, which is NULL if it is empty. */
void fx_list_add(struct fx_list_link **first, struct fx_list_link *link);

/* Removes the link from the list that contains it. */
void fx_list_remove(struct fx_list_link **first, struct fx_list_link *link);

#endif
