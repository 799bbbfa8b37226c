/* SPDX-License-Identifier: Apache-2.0
 *
 * base/limits.h - the limits of everything that can grow. If a user may need another
 * value, `fixpoint serve` has a flag; the constant is its default.
 */
#ifndef FX_BASE_LIMITS_H
#define FX_BASE_LIMITS_H

#include <stddef.h>

/* Input. */
#define FX_LIMIT_BODY_BYTES (8u << 20) /* bytes of one request body */
/* Bytes of memory for the nodes of a JSON text of so many bytes. An ordinary object takes
 * about ten times its text, `[{},{},…]` eighty times. */
#define FX_LIMIT_JSON_MEMORY(text_bytes) (((size_t)64 << 20) + 8 * (text_bytes))
#define FX_LIMIT_JSON_DEPTH              1000u /* levels of one JSON or YAML document */
#define FX_LIMIT_YAML_NODES              (1u << 20) /* nodes of one file, aliases expanded */
/* libyaml compares every %TAG directive with all others, and every tag with all of them.
 */
#define FX_LIMIT_YAML_TAG_DIRECTIVES 64
/* At every token libyaml checks each open flow collection, so a text costs the sum of the
 * open flow collections over its events. This limit of the sum allows a text to be deep
 * or long, but not both. */
#define FX_LIMIT_YAML_FLOW_WORK    ((size_t)16 * FX_LIMIT_YAML_NODES)
#define FX_LIMIT_POLICY_FILE_BYTES (4u << 20) /* bytes of one policy file */
#define FX_LIMIT_FINDINGS          100u  /* findings of a file; the rest is counted */
#define FX_LIMIT_LINKED_RULES      4096u /* rules of one policy */
#define FX_LIMIT_REPORTED_FAULTS   50u   /* errors of a denied policy */
#define FX_LIMIT_NAMED_KINDS       64u   /* kinds of parameters of all policies */
#define FX_LIMIT_LINK_ROUNDS       4u    /* how often parameters may name further kinds */
#define FX_LIMIT_OBJECT_FILE_BYTES (64u << 20) /* bytes of one file of objects */
#define FX_LIMIT_FOLDER_DEPTH      32u         /* levels of folders */
#define FX_LIMIT_FOLDER_FILES      100000u     /* files under one folder */
#define FX_LIMIT_FOLDERS           10000u      /* folders under one folder */
#define FX_LIMIT_FOLDER_ENTRIES    (1u << 20) /* entries of all folders under one folder */
#define FX_LIMIT_LOCATION_BYTES    65536u     /* bytes of one location */
#define FX_LIMIT_LOCATION_NODES    1000u      /* steps of one location */
/* One regular expression: the bytes of its text, because compiling `a?a?a?…` takes
 * quadratic time, and the bytes of its program and caches, for which RE2 has the same
 * default. */
#define FX_LIMIT_REGEX_PATTERN_BYTES 16384u
#define FX_LIMIT_REGEX_BYTES         (8u << 20)
/* The bytes of a text times the instructions of the program that matches it. In the worst
 * case each takes ten nanoseconds. A match cannot be interrupted. */
#define FX_LIMIT_REGEX_WORK (4u << 20)

#define FX_LIMIT_POLICY_EXPRESSIONS 1024u /* variables, or mutations, of one policy */
#define FX_LIMIT_CONDITIONS         64u   /* conditions of one policy */
#define FX_LIMIT_CONDITION_VALUES   1024u /* values with which one condition compares */
#define FX_LIMIT_CONDITION_PATTERNS 64u   /* its regular expressions */

/* JSONPath expressions (location/jsonpath). A step is a unit of the budget. */
#define FX_LIMIT_JSONPATH_BYTES    65536u      /* bytes of one expression */
#define FX_LIMIT_JSONPATH_DEPTH    500u        /* levels of operators and brackets */
#define FX_LIMIT_JSONPATH_PATTERNS 64u         /* regular expressions in one expression */
#define FX_LIMIT_JSONPATH_STEPS    (1u << 20)  /* steps of one evaluation */
#define FX_LIMIT_JSONPATH_MEMORY   (64u << 20) /* bytes of memory of one evaluation */
#define FX_LIMIT_JSONPATH_FRAMES   4000u       /* levels of calls in one evaluation */
/* Regular expressions that an expression takes from the object, and the bytes of each of
 * them. Compiling one takes up to about ten milliseconds and cannot be interrupted. */
#define FX_LIMIT_JSONPATH_OBJECT_PATTERNS      4u
#define FX_LIMIT_JSONPATH_OBJECT_PATTERN_BYTES 256u

/* One template of Go's text/template: its source, */
#define FX_LIMIT_TEMPLATE_SOURCE_BYTES 65536u
#define FX_LIMIT_TEMPLATE_NODES        32768u /* nodes of the parsed template */
#define FX_LIMIT_TEMPLATE_NESTING      200u   /* levels of blocks and parentheses */
#define FX_LIMIT_TEMPLATE_VARIABLES    256u   /* variables in scope at one point */
/* and its execution: */
#define FX_LIMIT_TEMPLATE_STEPS        (1u << 20) /* units of the budget */
#define FX_LIMIT_TEMPLATE_DEPTH        500u /* levels of blocks, templates, parentheses */
#define FX_LIMIT_TEMPLATE_VALUE_DEPTH  1000u       /* levels of lists and maps */
#define FX_LIMIT_TEMPLATE_BYTES        (64u << 20) /* bytes of memory */
#define FX_LIMIT_TEMPLATE_OUTPUT_BYTES (1u << 20)  /* bytes of one text or the output */
#define FX_LIMIT_TEMPLATE_DIGITS       4096u       /* digits of one decimal number */

/* Expressions of CEL (location/cel). */
#define FX_LIMIT_CEL_DEPTH         2500u       /* levels of nodes, macros expanded */
#define FX_LIMIT_CEL_VALUE_DEPTH   4000u       /* levels of lists and maps */
#define FX_LIMIT_CEL_PROGRAM_BYTES (64u << 20) /* nodes and constants of one program */
#define FX_LIMIT_CEL_ZONES         64u         /* time zones that are kept */
#define FX_LIMIT_CEL_TEXT_BYTES    (16u << 20) /* one text that a function builds */
#define FX_LIMIT_CEL_TYPE_DEPTH    1000u       /* levels of types */
#define FX_LIMIT_CEL_TYPE_BYTES    4096u       /* the text of one type in a message */
#define FX_LIMIT_CEL_CHECK_STEPS   (1u << 22) /* types that one check compares or makes */
#define FX_LIMIT_CEL_CHECK_BYTES   (64u << 20) /* memory of one check */

/* Queries of JMESPath (location/jmespath). */
#define FX_LIMIT_JMESPATH_BYTES 65536u /* bytes of one query */
#define FX_LIMIT_JMESPATH_DEPTH 500u   /* levels of operators and brackets */
/* Lists and objects that one query writes: each makes the value a level deeper. */
#define FX_LIMIT_JMESPATH_BUILDERS    256u
#define FX_LIMIT_JMESPATH_STEPS       (1u << 20)  /* units of the budget */
#define FX_LIMIT_JMESPATH_MEMORY      (64u << 20) /* scratch memory of one evaluation */
#define FX_LIMIT_JMESPATH_TEXT_BYTES  (1u << 20)  /* one text that a function builds */
#define FX_LIMIT_JMESPATH_VALUE_NODES (1u << 18)  /* nodes of the value of a query */
/* random(): how often `*` repeats at most, and levels of groups of a pattern. */
#define FX_LIMIT_RANDOM_REPEATS 32u
#define FX_LIMIT_RANDOM_DEPTH   100u

/* Kyverno's policies (mutators/kyverno). */
#define FX_LIMIT_VARIABLE_ROUNDS 32u        /* variables in the values of variables */
#define FX_LIMIT_IMAGE_STEPS     32u        /* steps of the path of one image extractor */
#define FX_LIMIT_CONTEXT_ENTRIES 64u        /* entries of one `context`, */
#define FX_LIMIT_CONTEXT_BYTES   (2u << 20) /* and the values of all, as JSON */
#define FX_LIMIT_FOREACH_DEPTH   8u         /* levels of foreach in foreach */
#define FX_LIMIT_RULE_NAME       63u        /* bytes; generated names are cut */
/* Kyverno's ConfigMap: its resource filters, and its patterns of users. */
#define FX_LIMIT_RESOURCE_FILTERS 4096u

#define FX_LIMIT_MERGE_LISTS 256u /* lists for which a policy has keys, */
#define FX_LIMIT_MERGE_STEPS 32u  /* steps of the path of one, */
#define FX_LIMIT_MERGE_KEYS  4u   /* and its keys */

#define FX_LIMIT_PATCH_PADDING 65536u /* nulls that a JSON patch puts before an index */

/* Nodes of a value that is copied from one location of an object to another. Without this
 * limit copies of copies could grow exponentially. */
#define FX_LIMIT_COPIED_NODES      65536u
#define FX_LIMIT_COPIED_NODE_BYTES 64u /* a longer text counts as several nodes */
/* Nodes of all such copies of one mutator in a pass. Copies into the elements of a list
 * multiply. */
#define FX_LIMIT_COPIED_NODES_OF_PASS (1u << 20)

/* Bytes of the lists of candidates that are kept for each namespace
 * (engine/snapshot_index.c). */
#define FX_LIMIT_CANDIDATE_CACHE_BYTES (1u << 20)

/* Combinations of groups, versions and kinds of one applyTo. */
#define FX_LIMIT_APPLY_TO_BINDINGS 8192u

/* Schemas of kinds (merge/schema.h): types and fields of one set, levels of one schema,
 * and kinds. */
#define FX_LIMIT_SCHEMA_NODES (1u << 20)
#define FX_LIMIT_SCHEMA_DEPTH 200u
#define FX_LIMIT_SCHEMA_KINDS 65536u

/* The check of the types of one policy (engine/type_warnings.h): bytes of its warnings,
 * and of the types of its kinds. */
#define FX_LIMIT_TYPE_WARNING_BYTES (1u << 20)
#define FX_LIMIT_TYPE_BYTES         (256u << 20)

/* A review. */
#define FX_LIMIT_KEPT_BODY_BYTES      (1u << 20) /* memory is freed after a larger body */
#define FX_LIMIT_ARENA_BYTES          (64u << 20) /* bytes of the arena of one review */
#define FX_LIMIT_NAMED_MUTATORS_BYTES 2048u       /* bytes of the audit annotation */
/* Violations that do not deny: how many a response reports (the rest is counted), and the
 * bytes of one message. (API servers pass on 4,096 characters of warnings.) */
#define FX_LIMIT_VIOLATIONS      100u
#define FX_LIMIT_VIOLATION_BYTES 4096u
#define FX_LIMIT_RESPONSE_BYTES  (64u << 20) /* bytes of one response with its patch */

#define FX_LIMIT_RESULTANTS     1000u /* resultants of one object */
#define FX_LIMIT_EXTERNAL_CALLS 1024u /* active requests to providers */

/* Inputs of one review (engine/input.h): their number, the bytes of their keys, and how
 * often the loop may begin again because a rule needs more of them. */
#define FX_LIMIT_INPUTS       1024u
#define FX_LIMIT_INPUT_BYTES  (16u << 20)
#define FX_LIMIT_INPUT_ROUNDS 8u

/* `fixpoint check`, which runs several policies. The limits are of steps, not of time, so
 * that the findings do not depend on the machine. */
#define FX_LIMIT_CHECK_STEPS    (1u << 20) /* steps of each mutator */
#define FX_LIMIT_CHECK_PAIRS    (1u << 19) /* pairs of mutators for one field */
#define FX_LIMIT_CHECK_FINDINGS 100u       /* reported findings; the rest is counted */

/* Digits of an exact decimal number (base/decimal.h). */
#define FX_LIMIT_DECIMAL_DIGITS 4096u

/* Names in the message of a conflict; the rest is counted. */
#define FX_LIMIT_CONFLICT_IDS 20u

/* HTTP and TLS. */
#define FX_LIMIT_HEADER_BYTES (64u << 10) /* bytes of the request line and headers */
#define FX_LIMIT_CONNECTIONS  4096u
#define FX_LIMIT_THREADS      64u          /* threads that serve reviews */
#define FX_LIMIT_HELD_BYTES   (128u << 20) /* bytes of unanswered messages */
#define FX_LIMIT_IDLE_MS      300000u      /* between requests; API servers: 90 s */
#define FX_LIMIT_MESSAGE_MS   10000u       /* until a header and body have arrived */
#define FX_LIMIT_HANDSHAKE_MS 10000u       /* until a TLS handshake has ended */
#define FX_LIMIT_DRAIN_MS     10000u       /* from SIGTERM until the listener closes */
#define FX_LIMIT_GRACE_MS     15000u /* from then until the process ends in any case */
#define FX_LIMIT_LEFT_MS      5000u  /* for remaining work after the last response */
#define FX_LIMIT_STALL_MS     10000u /* a loop that does not iterate is stalled */
#define FX_LIMIT_BUILD_MS     60000u /* additional time of a build */
#define FX_LIMIT_REVIEW_MS    10000u /* deadline of a request without a timeout */
#define FX_LIMIT_OBJECT_MS    60000u /* for one object on the command line */
#define FX_LIMIT_WRITE_MS     30000u /* until a client that does not read is dropped */
#define FX_LIMIT_SHED_MS      500u   /* a review that has waited longer is refused */
/* The share of a review's time, in per cent, for all policies of one namespace. */
#define FX_LIMIT_NAMESPACE_SHARE 25u
/* Waiting reviews of one loop, and the bytes of their requests. Their nodes may take ten
 * times as much memory. */
#define FX_LIMIT_WAITING_REVIEWS 512u
#define FX_LIMIT_WAITING_BYTES   (32u << 20)

/* Memory kept for the next review. */
#define FX_LIMIT_IDLE_SLABS 32u /* slabs of 64 KiB for nodes (value/node_pool.h) */

/* Elements that a patch inserts into or removes from one list. Each of these moves the
 * elements after it, here and in the API server. */
#define FX_LIMIT_PATCH_MOVES 1024u

/* Partial decoding (value/json_part.h): fields of one object, and names on the way to
 * one. */
#define FX_LIMIT_JSON_PARTS      64u
#define FX_LIMIT_JSON_PART_DEPTH 64u

#define FX_LIMIT_LOG_BYTES (1u << 20) /* bytes of lines that wait to be written */

/* Requests to providers. */
#define FX_LIMIT_URL_BYTES           8192u      /* bytes of one URL */
#define FX_LIMIT_PROVIDER_BODY_BYTES (8u << 20) /* bytes of the body of one answer */
#define FX_LIMIT_OBJECT_FETCHES      1024u      /* objects for which reviews wait */
#define FX_LIMIT_FETCHED_KINDS       256u       /* kinds whose resource is remembered */
#define FX_LIMIT_SCHEMA_DOCUMENTS                                              \
    128u                              /* groups and versions whose schemas are \
                                       * remembered */
#define FX_LIMIT_ACCESS_ANSWERS 4096u /* remembered answers of access reviews */
#define FX_LIMIT_BINDINGS       1024u /* Pods whose Node is being written */
/* Idle connections. Over TLS each takes about 40 KiB. */
#define FX_LIMIT_POOL_IDLE        256u /* idle connections to all providers */
#define FX_LIMIT_POOL_IDLE_TARGET 64u  /* idle connections to one host and port */
/* How long an idle connection is kept. Fixpoint should close it before the server does:
 * nginx keeps connections for 75 s, load balancers for 60 s, and some drop them silently.
 * Servers with a shorter time (Node.js 5 s, Jetty 30 s) close them. */
#define FX_LIMIT_POOL_IDLE_MS 25000u
/* How long any connection is kept. Then the name is resolved and the certificate checked
 * again. */
#define FX_LIMIT_POOL_AGE_MS 300000u

/* Dry runs (engine/dialect.h), which people request. */
#define FX_LIMIT_DRYRUN_BODY_BYTES    (2u << 20)
#define FX_LIMIT_DRYRUN_POLICIES      64u
#define FX_LIMIT_DRYRUN_PATTERNS      256u /* regular expressions */
#define FX_LIMIT_DRYRUN_PATTERN_BYTES (512u << 10)
#define FX_LIMIT_DRYRUN_TEXT_BYTES    (4u << 20)  /* bytes of text that rules write */
#define FX_LIMIT_DRYRUN_ANSWER_BYTES  (16u << 20) /* one intermediate text or answer */
#define FX_LIMIT_DRYRUNS              2u
#define FX_LIMIT_DRYRUNS_WAITING      32u
#define FX_LIMIT_DRYRUN_CONNECTIONS   64u
#define FX_LIMIT_DRYRUN_HELD_BYTES    (32u << 20) /* bytes of requests not yet answered */

/* Rules that mutate existing objects (engine/existing.h, cluster/existing). */
#define FX_LIMIT_EXISTING_QUERIES 64u         /* queries of one rule for one trigger */
#define FX_LIMIT_EXISTING_PASSES  4u          /* applications to one target */
#define FX_LIMIT_EXISTING_POSTED  256u        /* triggers on the way to the main thread */
#define FX_LIMIT_EXISTING_JOBS    4096u       /* waiting jobs */
#define FX_LIMIT_EXISTING_BYTES   (64u << 20) /* bytes of the objects of waiting jobs */
#define FX_LIMIT_EXISTING_RUNNING 4u          /* jobs that run at the same time */
#define FX_LIMIT_EXISTING_JOB_MS  600000u     /* the longest time of one job */
#define FX_LIMIT_EXISTING_STEP_MS 100u        /* the evaluation of a rule on one target */
#define FX_LIMIT_EXISTING_TRIES   8u          /* attempts to write one target */
#define FX_LIMIT_EXISTING_CHANGES \
    5u /* changes of one target by one rule in FX_LIMIT_EXISTING_CHANGES_MS */
#define FX_LIMIT_EXISTING_CHANGES_MS 60000u
#define FX_LIMIT_EXISTING_DELAY_MS   250u   /* from a review until its object is stored */
#define FX_LIMIT_EXISTING_PUT_OFF_MS 5000u  /* newer triggers put a job off no longer */
#define FX_LIMIT_EXISTING_TARGETS    16384u /* targets whose changes are counted */
#define FX_LIMIT_EXISTING_CAUSES     1024u  /* causes of failures that are remembered */

/* Requests to the API server. */
#define FX_LIMIT_KUBE_ANSWER_BYTES  (8u << 20)   /* bytes of one object; etcd: 1.5 MiB */
#define FX_LIMIT_KUBE_LIST_BYTES    (64u << 20)  /* bytes of one page of a list */
#define FX_LIMIT_KUBE_METRICS_BYTES (256u << 20) /* bytes of the API server's metrics */
#define FX_LIMIT_KUBE_LIST_PAGES    65536u       /* pages of one list */
#define FX_LIMIT_KUBE_EVENT_BYTES   (8u << 20)   /* bytes of one event of a watch */
#define FX_LIMIT_KUBE_OBJECTS       (1u << 20)   /* objects of one resource */
/* Cached Namespaces: their number, the bytes of all of them, and the bytes of one. */
#define FX_LIMIT_CACHED_OBJECTS      1024u
#define FX_LIMIT_OBJECT_CACHE_BYTES  (4u << 20)
#define FX_LIMIT_CACHED_OBJECT_BYTES (256u << 10)
#define FX_LIMIT_SWEEP_NAMES         65536u /* Pods of Fixpoint's own namespace */
#define FX_LIMIT_SWEEP_FOREIGN_IDS   256u   /* ids in statuses that others have written */

#endif
