/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/standard_table.c - the table of the functions of JMESPath.
 */
#include "location/jmespath/standard.h"

#define ANY        {.types = FX_JMESPATH_ANY}
#define NUMBER     {.types = FX_JMESPATH_NUMBER}
#define STRING     {.types = FX_JMESPATH_STRING}
#define ARRAY      {.types = FX_JMESPATH_ARRAY}
#define OBJECT     {.types = FX_JMESPATH_OBJECT}
#define NUMBERS    {.types = FX_JMESPATH_ARRAY_OF_NUMBER}
#define STRINGS    {.types = FX_JMESPATH_ARRAY_OF_STRING}
#define EXPRESSION {.types = FX_JMESPATH_EXPRESSION}
#define SORTABLE   {.types = FX_JMESPATH_ARRAY_OF_NUMBER | FX_JMESPATH_ARRAY_OF_STRING}
#define SEQUENCE   {.types = FX_JMESPATH_ARRAY | FX_JMESPATH_STRING}
#define SIZED      {.types = FX_JMESPATH_ARRAY | FX_JMESPATH_STRING | FX_JMESPATH_OBJECT}
#define ANYS       {.types = FX_JMESPATH_ANY, .is_variadic = true}
#define OBJECTS    {.types = FX_JMESPATH_OBJECT, .is_variadic = true}

#define FUNCTION(id, ...) \
    {.name = #id, .parameters = {__VA_ARGS__}, .call = fx_jmespath_##id}

const struct fx_jmespath_function fx_jmespath_standard_functions[] = {
    FUNCTION(abs, NUMBER),
    FUNCTION(avg, NUMBERS),
    FUNCTION(ceil, NUMBER),
    FUNCTION(contains, SEQUENCE, ANY),
    FUNCTION(ends_with, STRING, STRING),
    FUNCTION(floor, NUMBER),
    FUNCTION(join, STRING, STRINGS),
    FUNCTION(keys, OBJECT),
    FUNCTION(length, SIZED),
    FUNCTION(map, EXPRESSION, ARRAY),
    FUNCTION(max, SORTABLE),
    FUNCTION(max_by, ARRAY, EXPRESSION),
    FUNCTION(merge, OBJECTS),
    FUNCTION(min, SORTABLE),
    FUNCTION(min_by, ARRAY, EXPRESSION),
    FUNCTION(not_null, ANYS),
    FUNCTION(reverse, SEQUENCE),
    FUNCTION(sort, SORTABLE),
    FUNCTION(sort_by, ARRAY, EXPRESSION),
    FUNCTION(starts_with, STRING, STRING),
    FUNCTION(to_array, ANY),
    FUNCTION(to_number, ANY),
    FUNCTION(to_string, ANY),
    FUNCTION(type, ANY),
    FUNCTION(values, OBJECT),
    {.name = NULL},
};
