/* SPDX-License-Identifier: Apache-2.0
 *
 * base/list.h - doubly linked lists. A member of a list begins with its link:
 *
 *     struct item { struct fx_list_link link; … };
 *     fx_list_add(&first, &item->link);
 */
#ifndef FX_BASE_LIST_H
#define FX_BASE_LIST_H

#include <stddef.h>

/* A zeroed link is in no list. */
struct fx_list_link {
    struct fx_list_link *next, *previous;
};

/* Adds the link at the front of the list `*first`, which is NULL if it is empty. */
static inline void fx_list_add(struct fx_list_link **first, struct fx_list_link *link) {
    link->previous = NULL;
    link->next = *first;
    if (link->next != NULL) {
        link->next->previous = link;
    }
    *first = link;
}

/* Removes the link from the list that contains it. */
static inline void fx_list_remove(struct fx_list_link **first,
                                  struct fx_list_link *link) {
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

/* Removes the first link and returns it; NULL if the list is empty. */
static inline struct fx_list_link *fx_list_pop(struct fx_list_link **first) {
    struct fx_list_link *link = *first;
    if (link != NULL) {
        *first = link->next;
        if (link->next != NULL) {
            link->next->previous = NULL;
        }
        *link = (struct fx_list_link){0};
    }
    return link;
}

/* A list with both ends. A zeroed queue is empty. */
struct fx_queue {
    struct fx_list_link *first, *last;
};

static inline void fx_queue_prepend(struct fx_queue *queue, struct fx_list_link *link) {
    *link = (struct fx_list_link){.next = queue->first};
    *(queue->first == NULL ? &queue->last : &queue->first->previous) = link;
    queue->first = link;
}

static inline void fx_queue_append(struct fx_queue *queue, struct fx_list_link *link) {
    *link = (struct fx_list_link){.previous = queue->last};
    *(queue->last == NULL ? &queue->first : &queue->last->next) = link;
    queue->last = link;
}

/* Removes the link from the queue that contains it. */
static inline void fx_queue_remove(struct fx_queue *queue, struct fx_list_link *link) {
    *(link->previous == NULL ? &queue->first : &link->previous->next) = link->next;
    *(link->next == NULL ? &queue->last : &link->next->previous) = link->previous;
    *link = (struct fx_list_link){0};
}

#endif
