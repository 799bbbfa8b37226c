/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_fault_test.c - lists and watches that fail: the objects reported last
 * stay valid, and the reflector continues.
 */
#include "kube/reflector_fixture.h"

#define A1         OBJECT("a", "ua", "1")
#define B2         OBJECT("b", "ub", "2")
#define C3         OBJECT("c", "uc", "3")
#define START      LIST(IS_LIST, "5", A1 "," B2)
#define START_TOLD "+a@1 +b@2 synced =watching"

struct story {
    struct reply replies[12]; /* the last of them is followed by silence */
    const char *reported;
    const char *message; /* of the last failure, or NULL */
    size_t n_lists, n_watches;
};

static size_t count_replies(const struct story *story) {
    size_t n = 0;
    while (n < FX_COUNT(story->replies) && story->replies[n].bytes != NULL) {
        n++;
    }
    return n;
}

static void play_stories(const struct story *stories, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct fixture fixture;
        const size_t n_replies = count_replies(&stories[i]);
        fixture_start(&fixture, stories[i].replies, n_replies);
        await_requests(&fixture, n_replies + 1);
        if (strcmp(fixture.reported.data == NULL ? "" : fixture.reported.data,
                   stories[i].reported) != 0) {
            fail_msg("story %zu: wanted `%s`, got `%s`", i, stories[i].reported,
                     fixture.reported.data);
        }
        if (stories[i].message != NULL &&
            strstr(fixture.failure.message, stories[i].message) == NULL) {
            fail_msg("story %zu: wanted `%s`, got `%s`", i, stories[i].message,
                     fixture.failure.message);
        }
        assert_int_equal(status_of(&fixture).n_lists, stories[i].n_lists);
        assert_int_equal(status_of(&fixture).n_watches, stories[i].n_watches);
        fixture_finish(&fixture);
    }
}

/* ---- a watch that resumes at its last version ---- */

static const struct story resumed[] = {
    /* The watch ends without an error. */
    {{START,
      {FROM("5"), STREAM EVENT("ADDED", OBJECT("c", "uc", "6")), CLOSE, 0},
      {FROM("6"), STREAM, CLOSE, 0},
      {FROM("6"), STREAM BOOKMARK("9"), CLOSE, 0},
      {FROM("9"), STREAM, CLOSE, 0}},
     START_TOLD " +c@6",
     NULL,
     1,
     4},
    /* Half an event. */
    {{START,
      {FROM("5"), STREAM EVENT("ADDED", OBJECT("c", "uc", "6")) "{\"type\":", CLOSE, 0},
      {FROM("6"), STREAM, CLOSE, 0}},
     START_TOLD " +c@6",
     NULL,
     1,
     2},
    /* A whole one without its end of line. */
    {{START,
      {FROM("5"), STREAM "{\"type\":\"DELETED\",\"object\":" OBJECT("a", "ua", "6") "}",
       CLOSE, 0},
      {FROM("6"), STREAM, CLOSE, 0}},
     START_TOLD " -a",
     NULL,
     1,
     2},
    /* Cut in a chunk; reset; not answered; 5xx; 429. Two in a row are reported. */
    {{START,
      {FROM("5"), OPEN_HEAD "3f\r\n{\"type\":", CUT, 0},
      {FROM("5"), STREAM, CLOSE, 0},
      {FROM("5"), OPEN_HEAD "3f\r\n", RESET, 0},
      {FROM("5"), OPEN_HEAD "3f\r\n", RESET, 0}},
     START_TOLD " =failing:network",
     "watch assign.mutations.gatekeeper.sh: ",
     1,
     4},
    {{START,
      {FROM("5"), STATUS("503", "ServiceUnavailable"), CLOSE, 0},
      {FROM("5"), STATUS("503", "ServiceUnavailable"), CLOSE, 0},
      {FROM("5"), STATUS("429", "TooManyRequests"), CLOSE, 0},
      {FROM("5"), STREAM BOOKMARK("6"), CLOSE, 0}},
     "+a@1 +b@2 synced =failing:server =failing:busy =watching",
     "429 TooManyRequests: so it is",
     1,
     1},
    {{START,
      {FROM("5"), STREAM ERROR("500", "InternalError"), CLOSE, 0},
      {FROM("5"), STREAM, CLOSE, 0}},
     START_TOLD,
     NULL,
     1,
     2},
    /* A forbidden watch is reported at once. */
    {{START, {FROM("5"), STATUS("403", "Forbidden"), CLOSE, 0}},
     "+a@1 +b@2 synced =failing:forbidden",
     "watch assign.mutations.gatekeeper.sh: 403 Forbidden: so it is; the ClusterRole "
     "needs apiGroups [\"mutations.gatekeeper.sh\"], resources [\"assign\"], verbs "
     "[\"list\",\"watch\"]",
     1,
     0},
    /* The version never decreases; older events are ignored. */
    {{START,
      {FROM("5"),
       STREAM EVENT("MODIFIED", OBJECT("b", "ub", "9")) BOOKMARK("7") EVENT(
           "MODIFIED", OBJECT("b", "ub", "8")) EVENT("DELETED", OBJECT("b", "x", "4"))
           EVENT("ADDED", OBJECT("b", "ub", "9")),
       CLOSE, 0},
      {FROM("9"), STREAM, CLOSE, 0}},
     START_TOLD " +b@9",
     NULL,
     1,
     2},
    /* Deleted and made anew, with and without the one event between. */
    {{START,
      {FROM("5"),
       STREAM EVENT("DELETED", OBJECT("a", "ua", "6"))
           EVENT("ADDED", OBJECT("a", "v", "7")) EVENT("ADDED", OBJECT("b", "v", "8"))
               EVENT("DELETED", OBJECT("x", "x", "9")),
       CLOSE, 0}},
     START_TOLD " -a +a@7 -b +b@8",
     NULL,
     1,
     1},
    /* Failures that are not in a row are accidents, however many. */
    {{START,
      {FROM("5"), STREAM BOOKMARK("6") "{", CLOSE, 0},
      {FROM("6"), STREAM BOOKMARK("7") "{", CLOSE, 0},
      {FROM("7"), STREAM BOOKMARK("8") "{", CLOSE, 0},
      {FROM("8"), STREAM BOOKMARK("9") "{", CLOSE, 0},
      {FROM("9"), STREAM BOOKMARK("10") "{", CLOSE, 0},
      {FROM("10"), STREAM BOOKMARK("11") "{", CLOSE, 0}},
     START_TOLD,
     NULL,
     1,
     6},
    /* A bookmark of the past. */
    {{START,
      {FROM("5"), STREAM BOOKMARK("9") BOOKMARK("7"), CLOSE, 0},
      {FROM("9"), STREAM, CLOSE, 0}},
     START_TOLD,
     NULL,
     1,
     2},
    /* Lines that are none. */
    {{START,
      {FROM("5"), STREAM "\n \r\n" EVENT("ADDED", OBJECT("c", "uc", "6")) "\r\n\n", CLOSE,
       0},
      {FROM("6"), STREAM, CLOSE, 0}},
     START_TOLD " +c@6",
     NULL,
     1,
     2},
};

static void a_watch_resumes(void **state) {
    (void)state;
    play_stories(resumed, FX_COUNT(resumed));
}

/* ---- a watch that cannot resume ---- */

#define LISTED_TOLD  " -a +c@3 synced"
#define LISTED_AGAIN LIST(IS_LIST, "7", B2 "," C3)

static const struct story relisted[] = {
    {{START, {FROM("5"), STATUS("410", "Expired"), CLOSE, 0}, LISTED_AGAIN},
     "+a@1 +b@2 synced +c@3 -a synced",
     NULL,
     2,
     0},
    {{START, {FROM("5"), STREAM ERROR("410", "Expired"), KEEP_OPEN, 0}, LISTED_AGAIN},
     START_TOLD " +c@3 -a synced",
     NULL,
     2,
     1},
    {{START, {FROM("5"), STREAM "rubbish\n", KEEP_OPEN, 0}, LISTED_AGAIN},
     START_TOLD " +c@3 -a synced",
     NULL,
     2,
     1},
    {{START, {FROM("5"), STREAM EVENT("RENAMED", C3), KEEP_OPEN, 0}, LISTED_AGAIN},
     START_TOLD " +c@3 -a synced",
     NULL,
     2,
     1},
    {{START, {FROM("5"), STREAM "{\"type\":\"ADDED\"}\n", KEEP_OPEN, 0}, LISTED_AGAIN},
     START_TOLD " +c@3 -a synced",
     NULL,
     2,
     1},
    {{START,
      {FROM("5"), STREAM EVENT("ADDED", "{\"metadata\":{\"name\":\"c\"}}"), KEEP_OPEN, 0},
      LISTED_AGAIN},
     START_TOLD " +c@3 -a synced",
     NULL,
     2,
     1},
    {{START,
      {FROM("5"), STREAM EVENT("ADDED", "{\"metadata\":{\"resourceVersion\":\"9\"}}"),
       KEEP_OPEN, 0},
      LISTED_AGAIN},
     START_TOLD " +c@3 -a synced",
     NULL,
     2,
     1},
    {{START,
      {FROM("5"), STREAM EVENT("ADDED", OBJECT("a/b", "u", "6")), KEEP_OPEN, 0},
      LISTED_AGAIN},
     START_TOLD " +c@3 -a synced",
     NULL,
     2,
     1},
    /* Five failures in a row. The objects of another uid, and in another state. */
    {{START,
      {FROM("5"), STATUS("500", "X"), CLOSE, 0},
      {FROM("5"), STATUS("504", "Timeout"), CLOSE, 0},
      {FROM("5"), STATUS("500", "X"), CLOSE, 0},
      {FROM("5"), STATUS("500", "X"), CLOSE, 0},
      {FROM("5"), STATUS("500", "X"), CLOSE, 0},
      LIST(IS_LIST, "4", OBJECT("a", "v", "3") "," OBJECT("b", "ub", "1")),
      {FROM("4"), STREAM BOOKMARK("9"), CLOSE, 0}},
     "+a@1 +b@2 synced =failing:server -a +a@3 +b@1 synced =watching",
     NULL,
     2,
     1},
};

static void a_watch_that_is_no_use(void **state) {
    (void)state;
    play_stories(relisted, FX_COUNT(relisted));
}

/* ---- lists ---- */

static const struct story lists[] = {
    {{{IS_LIST, STATUS("500", "InternalError"), CLOSE, 0},
      {IS_LIST, STATUS("429", "TooManyRequests"), CLOSE, 0},
      {IS_LIST, STATUS("429", "TooManyRequests"), CLOSE, 0},
      START},
     "=failing:server =failing:busy +a@1 +b@2 synced",
     NULL,
     1,
     0},
    {{{IS_LIST, STATUS("401", "Unauthorized"), CLOSE, 0},
      {IS_LIST, STATUS("403", "Forbidden"), CLOSE, 0}},
     "=failing:unauthorized =failing:forbidden",
     "list assign.mutations.gatekeeper.sh: 403 Forbidden: ",
     0,
     0},
    {{{IS_LIST, "", RESET, 0}, {IS_LIST, OK_HEAD "\r\n", CLOSE, 0}},
     "=failing:network",
     NULL,
     0,
     0},
    /* What is no list. */
    {{{IS_LIST, STREAM "{\"status\":\"ok\"}", CLOSE, 0}},
     "=failing:network",
     "list assign.mutations.gatekeeper.sh: the answer is not a list",
     0,
     0},
    {{{IS_LIST, STREAM "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":{}}", CLOSE,
       0}},
     "=failing:network",
     "not a list",
     0,
     0},
    /* Go writes an empty list so, too; items that are none are passed over. */
    {{{IS_LIST, STREAM "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":null}", CLOSE,
       0}},
     "synced",
     NULL,
     1,
     0},
    {{LIST(IS_LIST, "5", "1,{},{\"metadata\":{\"name\":\"a\"}}," A1)},
     "+a@1 synced",
     NULL,
     1,
     0},
    /* A page that comes too late: all at once; if that fails, later, in pages. */
    {{PAGE(IS_LIST, "5", "t", A1),
      {"/v1/assign?limit=500&continue=t ", STATUS("410", "Expired"), CLOSE, 0},
      LIST("/v1/assign ", "6", A1 "," B2),
      {FROM("6"), STREAM, CLOSE, 0}},
     "+a@1 +b@2 synced =watching",
     NULL,
     1,
     1},
    {{PAGE(IS_LIST, "5", "t", A1),
      {"continue=t", STATUS("410", "Expired"), CLOSE, 0},
      {"/v1/assign ", STATUS("410", "Expired"), CLOSE, 0},
      PAGE(IS_LIST, "7", "t", A1),
      {"continue=t", STATUS("410", "Expired"), CLOSE, 0},
      LIST("/v1/assign ", "8", B2)},
     "+a@1 =failing:expired +b@2 -a synced",
     NULL,
     1,
     0},
    /* A page fails: the list begins again, and nothing is reported twice. */
    {{PAGE(IS_LIST, "5", "t", A1),
      {"continue=t", STATUS("500", "X"), CLOSE, 0},
      PAGE(IS_LIST, "6", "t", A1),
      LIST("continue=t", "6", B2),
      {FROM("6"), STREAM, CLOSE, 0}},
     "+a@1 =failing:server +b@2 synced =watching",
     NULL,
     1,
     1},
};

static void lists_that_fail(void **state) {
    (void)state;
    play_stories(lists, FX_COUNT(lists));
}

/* ---- a server that is gone ---- */

static void no_server_there(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {START};
    fixture_start(&fixture, replies, FX_COUNT(replies));
    await_requests(&fixture, 2);
    say(&fixture.api, STREAM);
    await_reported(&fixture, "=watching");
    fx_listener_close(&fixture.api.server.listener);
    fx_stream_close(&fixture.api.last->stream);
    await_reported(&fixture, START_TOLD " =failing:network");
    assert_non_null(strstr(fixture.failure.message, "connection refused"));
    run_for(&fixture.api, 50); /* some lists, too */
    expect_reported(&fixture, START_TOLD " =failing:network");
    assert_int_equal(status_of(&fixture).n_objects, 2);
    fixture_finish(&fixture);
}

/* An event of more than 8 MiB, which never ends. */
static void a_line_too_long(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf much = {0};
    const struct reply replies[] = {START};
    fixture_start(&fixture, replies, FX_COUNT(replies));
    await_requests(&fixture, 2);
    say(&fixture.api, STREAM "{\"type\":\"");
    fx_buf_fill(&much, 'x', (8u << 20) + 1);
    say(&fixture.api, much.data);
    await_requests(&fixture, 3);
    assert_non_null(strstr(fixture.api.server.received.data + 1, IS_LIST));
    expect_reported(&fixture, START_TOLD);
    fx_buf_finish(&much);
    fixture_finish(&fixture);
}

/* A server whose pages are empty or repeated is not asked for pages for ever. */
static void pages_without_end(void **state) {
    (void)state;
    enum { N_PAGES = 66 };
    static const struct {
        struct reply page;
        const char *reported;
        size_t n_pages;
    } cases[] = {
        {PAGE("/v1/assign?limit=500", "5", "t", ""), "=failing:network", 65},
        {PAGE("/v1/assign?limit=500", "5", "t", A1), "+a@1 =failing:network", 66},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fixture fixture;
        struct reply replies[N_PAGES];
        for (size_t j = 0; j < N_PAGES; j++) {
            replies[j] = cases[i].page;
        }
        struct fx_kube_delays patient = fast;
        patient.backoff_min_ms = patient.backoff_max_ms = TIMEOUT_MS;
        fixture_begin(&fixture);
        api_set_replies(&fixture.api, replies, N_PAGES);
        reflect(&fixture, &all_assigns, &patient);
        await_reported(&fixture, "=failing:network");
        expect_reported(&fixture, cases[i].reported);
        assert_int_equal(fixture.api.server.n_requests, cases[i].n_pages);
        assert_non_null(strstr(fixture.failure.message, "the list has endless pages"));
        fixture_finish(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_watch_resumes), cmocka_unit_test(a_watch_that_is_no_use),
        cmocka_unit_test(lists_that_fail), cmocka_unit_test(no_server_there),
        cmocka_unit_test(a_line_too_long), cmocka_unit_test(pages_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
