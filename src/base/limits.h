/* SPDX-License-Identifier: Apache-2.0
 *
 * base/limits.h - the limits of everything that can grow. If a user may need another
 * value, `fixpoint serve` has a flag; the constant is its default.
 */
#ifndef FX_BASE_LIMITS_H
#define FX_BASE_LIMITS_H

#include <stddef.h>

/* Input. */
#define FX_LIMIT_BODY_BYTES (8u << 20) /* one request body */
/* Memory for the nodes of a JSON text of so many bytes: an ordinary object takes about
 * ten times its text, `[{},{},…]` eighty times. */
#define FX_LIMIT_JSON_MEMORY(text_bytes) (((size_t)64 << 20) + 8 * (text_bytes))
#define FX_LIMIT_JSON_DEPTH              1000u /* nesting of one JSON or YAML document */
#define FX_LIMIT_YAML_NODES              (1u << 20) /* nodes of one file, aliases expanded */
/* libyaml compares every %TAG directive with all others, and every tag with all of them.
 */
#define FX_LIMIT_YAML_TAG_DIRECTIVES 64
/* At every token libyaml checks each open flow collection, so a text costs the number of
 * its events times their levels. The limit of the sum allows a text to be deep or long,
 * but not both. */
#define FX_LIMIT_YAML_FLOW_WORK    ((size_t)16 * FX_LIMIT_YAML_NODES)
#define FX_LIMIT_POLICY_FILE_BYTES (4u << 20) /* one policy file */
#define FX_LIMIT_FINDINGS          100u  /* reported of a file; the rest is counted */
#define FX_LIMIT_LINKED_RULES      4096u /* rules that one policy gives */
#define FX_LIMIT_REPORTED_FAULTS   50u   /* of a policy that is denied; the same */
#define FX_LIMIT_NAMED_KINDS       64u   /* kinds of parameters of all policies */
#define FX_LIMIT_LINK_ROUNDS       4u    /* parameters that name other kinds */
#define FX_LIMIT_OBJECT_FILE_BYTES (64u << 20) /* one file of objects, command line */
#define FX_LIMIT_FOLDER_DEPTH      32u         /* folders in folders */
#define FX_LIMIT_FOLDER_FILES      100000u     /* files under one folder */
#define FX_LIMIT_FOLDERS           10000u      /* folders under one folder */
#define FX_LIMIT_FOLDER_ENTRIES    (1u << 20)  /* entries of all of them */
#define FX_LIMIT_LOCATION_BYTES    65536u      /* text of one location */
#define FX_LIMIT_LOCATION_NODES    1000u       /* steps of one location */
/* One regular expression: its text, because compiling `a?a?a?…` takes quadratic time, and
 * the sum of its program and caches, for which RE2 has the same default. */
#define FX_LIMIT_REGEX_PATTERN_BYTES 16384u
#define FX_LIMIT_REGEX_BYTES         (8u << 20)
/* Bytes of a text times the instructions of the program that matches it: ten nanoseconds
 * each in the worst case. A match cannot be interrupted. */
#define FX_LIMIT_REGEX_WORK (4u << 20)

#define FX_LIMIT_CONDITIONS         64u   /* of one policy */
#define FX_LIMIT_CONDITION_VALUES   1024u /* that one of them compares with */
#define FX_LIMIT_CONDITION_PATTERNS 64u   /* or regular expressions */

/* JSONPath expressions (location/jsonpath). A step is a unit of the budget. */
#define FX_LIMIT_JSONPATH_BYTES    65536u      /* text of one expression */
#define FX_LIMIT_JSONPATH_DEPTH    500u        /* operators and brackets in one another */
#define FX_LIMIT_JSONPATH_PATTERNS 64u         /* regular expressions in its text */
#define FX_LIMIT_JSONPATH_STEPS    (1u << 20)  /* of one evaluation */
#define FX_LIMIT_JSONPATH_MEMORY   (64u << 20) /* of one evaluation */
#define FX_LIMIT_JSONPATH_FRAMES   4000u       /* calls in one another while evaluating */
/* Regular expressions that come from the object, and the text of each of them: compiling
 * one takes up to about ten milliseconds and cannot be interrupted. */
#define FX_LIMIT_JSONPATH_OBJECT_PATTERNS      4u
#define FX_LIMIT_JSONPATH_OBJECT_PATTERN_BYTES 256u

/* One template of Go's text/template: its text … */
#define FX_LIMIT_TEMPLATE_SOURCE_BYTES 65536u
#define FX_LIMIT_TEMPLATE_NODES        32768u /* of its parse */
#define FX_LIMIT_TEMPLATE_NESTING      200u   /* blocks in blocks, parentheses */
#define FX_LIMIT_TEMPLATE_VARIABLES    256u   /* in scope at one point */
/* … and its execution. */
#define FX_LIMIT_TEMPLATE_STEPS        (1u << 20)  /* units of the budget */
#define FX_LIMIT_TEMPLATE_DEPTH        500u        /* blocks, templates, parentheses */
#define FX_LIMIT_TEMPLATE_VALUE_DEPTH  1000u       /* lists and maps in each other */
#define FX_LIMIT_TEMPLATE_BYTES        (64u << 20) /* of memory */
#define FX_LIMIT_TEMPLATE_OUTPUT_BYTES (1u << 20)  /* one text, the output too */
#define FX_LIMIT_TEMPLATE_DIGITS       4096u       /* of one decimal number */

/* Checking a CEL expression (location/cel): types within types, nodes within nodes, and
 * the types that are compared or made, a unit of the budget each; its memory. The text of
 * a type in a message is cut. */
#define FX_LIMIT_CEL_TYPE_DEPTH  1000u
#define FX_LIMIT_CEL_NODE_DEPTH  4000u
#define FX_LIMIT_CEL_CHECK_STEPS (1u << 22)
#define FX_LIMIT_CEL_CHECK_BYTES (64u << 20)
#define FX_LIMIT_CEL_TYPE_BYTES  4096u

/* Nodes of a value that is copied from one location of an object to another: copies of
 * copies would grow without limit. */
#define FX_LIMIT_COPIED_NODES      65536u
#define FX_LIMIT_COPIED_NODE_BYTES 64u /* a longer text counts as several */
/* Nodes of all such copies of one mutator in a pass: in a list they multiply. */
#define FX_LIMIT_COPIED_NODES_OF_PASS (1u << 20)

/* Lists of candidates that are kept for each namespace (engine/snapshot_index.c). */
#define FX_LIMIT_CANDIDATE_CACHE_BYTES (1u << 20)

/* Groups, versions and kinds of one applyTo multiply. */
#define FX_LIMIT_APPLY_TO_BINDINGS 8192u

/* A review. */
#define FX_LIMIT_KEPT_BODY_BYTES \
    (1u << 20) /* after a larger body, memory is returned to the system */
#define FX_LIMIT_ARENA_BYTES          (64u << 20) /* scratch of one review */
#define FX_LIMIT_NAMED_MUTATORS_BYTES 2048u /* the audit annotation that names them */
/* Violations that do not deny: the number in a response (the rest is counted), and the
 * bytes of one message. (API servers pass on 4,096 characters of warnings.) */
#define FX_LIMIT_VIOLATIONS      100u
#define FX_LIMIT_VIOLATION_BYTES 4096u
#define FX_LIMIT_RESPONSE_BYTES  (64u << 20) /* one response, patch included */

#define FX_LIMIT_RESULTANTS     1000u /* that one object expands to */
#define FX_LIMIT_EXTERNAL_CALLS 1024u /* requests to providers under way */

/* Inputs of one review (engine/input.h): how many, the bytes of their keys, and how often
 * the loop may begin again since a rule needs more of them. */
#define FX_LIMIT_INPUTS       1024u
#define FX_LIMIT_INPUT_BYTES  (16u << 20)
#define FX_LIMIT_INPUT_ROUNDS 8u

/* `fixpoint check`, which runs several policies: limits of steps, not of time, so that
 * the findings do not depend on the machine. */
#define FX_LIMIT_CHECK_STEPS    (1u << 20) /* of one mutator each */
#define FX_LIMIT_CHECK_PAIRS    (1u << 19) /* of mutators for one field */
#define FX_LIMIT_CHECK_FINDINGS 100u       /* reported; the rest is counted */

/* The names in the message of a conflict; the rest is counted. */
#define FX_LIMIT_CONFLICT_IDS 20u

/* HTTP and TLS. */
#define FX_LIMIT_HEADER_BYTES (64u << 10) /* request line and headers */
#define FX_LIMIT_CONNECTIONS  4096u
#define FX_LIMIT_THREADS      64u          /* that serve reviews */
#define FX_LIMIT_HELD_BYTES   (128u << 20) /* unanswered messages of all connections */
#define FX_LIMIT_IDLE_MS      300000u /* between requests; the API server keeps 90 s */
#define FX_LIMIT_MESSAGE_MS   10000u  /* a header and body must arrive within this */
#define FX_LIMIT_HANDSHAKE_MS 10000u  /* a TLS handshake must end within this */
#define FX_LIMIT_DRAIN_MS     10000u  /* after SIGTERM, before the listener closes */
#define FX_LIMIT_GRACE_MS     15000u /* after that, before the process ends in any case */
#define FX_LIMIT_LEFT_MS      5000u  /* after the last response: for remaining work */
#define FX_LIMIT_STALL_MS     10000u /* a loop without an iteration for so long stalls, */
#define FX_LIMIT_BUILD_MS     60000u /* and so does a build, this much later */
#define FX_LIMIT_REVIEW_MS    10000u /* if the request has no timeout */
#define FX_LIMIT_OBJECT_MS    60000u /* for one object, on the command line */
#define FX_LIMIT_WRITE_MS     30000u /* a client that does not read is dropped */
#define FX_LIMIT_SHED_MS      500u   /* a review that has waited longer is refused */
/* The share of a review's time, in per cent, for all policies of a namespace. */
#define FX_LIMIT_NAMESPACE_SHARE 25u
/* Waiting reviews of one loop, and the bytes of their requests: their nodes may take ten
 * times as much. */
#define FX_LIMIT_WAITING_REVIEWS 512u
#define FX_LIMIT_WAITING_BYTES   (32u << 20)

/* Memory kept for the next review. */
#define FX_LIMIT_IDLE_SLABS 32u /* of 64 KiB, for nodes (value/node_pool.h) */

/* Elements that a patch inserts into or removes from one list: each moves the following
 * elements, here and in the API server. */
#define FX_LIMIT_PATCH_MOVES 1024u

/* Fields of one object in partial decoding (value/json_part.h). */
#define FX_LIMIT_JSON_PARTS      64u
#define FX_LIMIT_JSON_PART_DEPTH 64u /* names of fields on the way to one */

#define FX_LIMIT_LOG_BYTES (1u << 20) /* lines that wait to be written */

/* Requests to providers. */
#define FX_LIMIT_URL_BYTES           8192u      /* one URL */
#define FX_LIMIT_PROVIDER_BODY_BYTES (8u << 20) /* one answer, its head apart */
#define FX_LIMIT_OBJECT_FETCHES      1024u      /* objects that reviews wait for */
#define FX_LIMIT_FETCHED_KINDS       256u       /* whose resource is remembered */
#define FX_LIMIT_ACCESS_ANSWERS      4096u      /* of access reviews, remembered */
#define FX_LIMIT_BINDINGS            1024u      /* Pods whose Node is being written */
/* Connections kept for the next request; over TLS each takes about 40 KiB. */
#define FX_LIMIT_POOL_IDLE        256u /* in all */
#define FX_LIMIT_POOL_IDLE_TARGET 64u  /* to one host and port */
/* How long an unused connection is kept. Fixpoint should close first: nginx keeps
 * connections for 75 s, load balancers for 60 s, and some drop them silently. Servers
 * that keep them for less (Node.js 5 s, Jetty 30 s) close them. */
#define FX_LIMIT_POOL_IDLE_MS 25000u
/* How long any connection is kept: then the name is resolved and the certificate checked
 * again. */
#define FX_LIMIT_POOL_AGE_MS 300000u

/* Dry runs (engine/dialect.h): of one the rules, with an object, and how many at a time.
 * They are for people; this many wait. */
#define FX_LIMIT_DRYRUN_BODY_BYTES    (2u << 20)
#define FX_LIMIT_DRYRUN_POLICIES      64u
#define FX_LIMIT_DRYRUN_PATTERNS      256u /* regular expressions, and the memory of each */
#define FX_LIMIT_DRYRUN_PATTERN_BYTES (512u << 10)
#define FX_LIMIT_DRYRUN_TEXT_BYTES    (4u << 20)  /* that rules write */
#define FX_LIMIT_DRYRUN_ANSWER_BYTES  (16u << 20) /* and each text on the way to it */
#define FX_LIMIT_DRYRUNS              2u
#define FX_LIMIT_DRYRUNS_WAITING      32u
#define FX_LIMIT_DRYRUN_CONNECTIONS   64u
#define FX_LIMIT_DRYRUN_HELD_BYTES    (32u << 20) /* of requests not yet answered */

/* The API server. */
#define FX_LIMIT_KUBE_ANSWER_BYTES (8u << 20)  /* one object; etcd keeps 1.5 MiB of it */
#define FX_LIMIT_KUBE_LIST_BYTES   (64u << 20) /* one page of a list */
#define FX_LIMIT_KUBE_LIST_PAGES   65536u      /* of one list */
#define FX_LIMIT_KUBE_EVENT_BYTES  (8u << 20)  /* one event of a watch */
#define FX_LIMIT_KUBE_OBJECTS      (1u << 20)  /* of one resource */
/* Cached whole namespaces: their number, the bytes of all, and the bytes of one. */
#define FX_LIMIT_CACHED_OBJECTS      1024u
#define FX_LIMIT_OBJECT_CACHE_BYTES  (4u << 20)
#define FX_LIMIT_CACHED_OBJECT_BYTES (256u << 10)
#define FX_LIMIT_SWEEP_NAMES         65536u /* Pods of our namespace */
#define FX_LIMIT_SWEEP_FOREIGN_IDS   256u   /* ids in statuses that others have written */

#endif
