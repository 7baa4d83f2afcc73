/* query_recognize.c - which statements only group the rows of one table: grouping_read() of
 * query_groups.h.
 *
 * It may refuse a statement that it could answer, never the reverse. Every word must be known: the
 * table, its columns where they belong, a function of one row, a keyword of an expression, or a
 * name that the statement gives to a result. What has quoted names, parameters, comments, joins or
 * a second SELECT is not read.
 */
#include "query_groups.h"

#include <errno.h>
#include <stdlib.h>

#define TOKENS_MAX 256u

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_MARK };

struct token {
    enum token_kind kind;
    struct text text;
};

struct statement {
    struct token tokens[TOKENS_MAX + 4]; /* END behind them */
    uint32_t count;
    struct text aliases[GROUP_AGGREGATES_MAX];
    uint32_t alias_count;
    struct grouping *grouping;
    struct query_data *data;
    struct text_out *rewritten;
};

/* ---- tokens ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of the string that begins with a quote; 0: it does not end. */
static size_t string_size(struct text text)
{
    for (size_t i = 1; i < text.size; i++) {
        if (text.bytes[i] != '\'')
            continue;
        if (i + 1 < text.size && text.bytes[i + 1] == '\'')
            i++;
        else
            return i + 1;
    }
    return 0;
}

static bool is_comment(struct text text)
{
    return text_begins(text, "--") || text_begins(text, "/*");
}

/* Of what there is at the start of `text`; END: nothing that is known. */
static struct token token_at(struct text text)
{
    struct token token = {TOKEN_MARK, {text.bytes, 1}};
    size_t size = 1;
    if (is_letter(*text.bytes) || is_digit(*text.bytes)) {
        bool is_number = is_digit(*text.bytes);
        while (size < text.size && (is_letter(text.bytes[size]) || is_digit(text.bytes[size]) ||
                                    (is_number && text.bytes[size] == '.')))
            size++;
        token.kind = is_number ? TOKEN_NUMBER : TOKEN_WORD;
    } else if (*text.bytes == '\'') {
        size = string_size(text);
        token.kind = size ? TOKEN_STRING : TOKEN_END;
    } else if (!strchr("(),+-*/%<>=!|&~;", *text.bytes) || !*text.bytes || is_comment(text)) {
        token.kind = TOKEN_END;
    }
    token.text.size = size;
    return token;
}

static bool read_tokens(struct statement *statement, struct text sql)
{
    while (sql.size) {
        if (strchr(" \t\r\n", *sql.bytes) && *sql.bytes) {
            sql.bytes++, sql.size--;
            continue;
        }
        struct token token = token_at(sql);
        if (token.kind == TOKEN_END || statement->count == TOKENS_MAX)
            return false;
        statement->tokens[statement->count++] = token;
        sql.bytes += token.text.size, sql.size -= token.text.size;
    }
    while (statement->count && *statement->tokens[statement->count - 1].text.bytes == ';')
        statement->count--;
    statement->tokens[statement->count] = (struct token){TOKEN_END, {"", 0}};
    return true;
}

static bool is_mark(const struct token *token, char mark)
{
    return token->kind == TOKEN_MARK && *token->text.bytes == mark;
}

static bool same_word(struct text text, const char *word)
{
    return text.size == strlen(word) && sqlite3_strnicmp(text.bytes, word, (int)text.size) == 0;
}

static bool is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_WORD && same_word(token->text, word);
}

/* The place of a word in a list that ends with NULL; -1: it is not in it. */
static int place_of(const struct token *token, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (is_word(token, words[i]))
            return i;
    return -1;
}

/* ---- tables and columns ---- */

static const struct query_column *column_of(const struct query_table *table,
                                            const struct token *token)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        if (is_word(token, table->columns[i].name))
            return &table->columns[i];
    return NULL;
}

/* Views are slices of some kinds. */
static bool read_view(struct grouping *grouping, const struct token *token)
{
    static const struct token kind = {TOKEN_WORD, {"kind", 4}};
    bool calls = is_word(token, "calls");
    if (!calls && !is_word(token, "ranges"))
        return false;
    grouping->table = &query_slices;
    grouping->conditions[grouping->condition_count++] = (struct condition){
        column_of(&query_slices, &kind), calls ? TL_API : TL_RANGE, calls ? TL_API : TL_STEP};
    return true;
}

static bool read_table(struct grouping *grouping, const struct token *token)
{
    for (size_t i = 0; query_tables[i] && !grouping->table; i++)
        if (is_word(token, query_tables[i]->name))
            grouping->table = query_tables[i];
    return grouping->table || read_view(grouping, token);
}

/* ---- conditions ---- */

/* Two marks stand for one operator: "<=". */
static bool read_operator(const struct token **at, char *compare, bool *or_equal)
{
    const struct token *first = *at, *second = first + 1;
    if (first->kind != TOKEN_MARK || !strchr("<>=", *first->text.bytes))
        return false;
    bool adjoins = second->text.bytes == first->text.bytes + 1;
    *compare = *first->text.bytes;
    *or_equal = adjoins && is_mark(second, '=');
    *at += *or_equal ? 2 : 1;
    return !(adjoins && second->kind == TOKEN_MARK && !*or_equal && !is_mark(second, '-'));
}

static bool read_integer(const struct token **at, int64_t *value)
{
    char digits[24], *end;
    size_t sign = is_mark(*at, '-');
    *at += sign;
    if ((*at)->kind != TOKEN_NUMBER || (*at)->text.size > 19)
        return false;
    *digits = '-';
    memcpy(digits + sign, (*at)->text.bytes, (*at)->text.size);
    digits[sign + (*at)->text.size] = 0;
    errno = 0;
    *value = strtoll(digits, &end, 10);
    ++*at;
    return !*end && !errno;
}

/* A string without quotes in it, of which there is a key; no key at all is a condition that nothing
 * meets. */
static bool read_string(struct query_data *data, const struct token **at,
                        const struct query_column *column, int64_t *key)
{
    struct text text = (*at)->text;
    if ((*at)->kind != TOKEN_STRING || memchr(text.bytes + 1, '\'', text.size - 2))
        return false;
    text.bytes++, text.size -= 2;
    ++*at;
    if (column->type == QUERY_NAME && !query_data_rank(data))
        return false;
    *key = column->type == QUERY_NAME ? query_data_find(data, text) : query_word_key(column, text);
    return true;
}

/* Unknown values, which have the least key, meet no condition. `value` is another one. */
static struct condition between(const struct query_column *column, char compare, bool or_equal,
                                int64_t value)
{
    struct condition condition = {column, QUERY_NULL + 1, INT64_MAX};
    if (compare != '<')
        condition.low = value + (compare == '>' && !or_equal && value < INT64_MAX);
    if (compare != '>')
        condition.high = value - (compare == '<' && !or_equal && value > INT64_MIN);
    if (compare == '>' && !or_equal && value == INT64_MAX)
        condition.low = INT64_MAX, condition.high = INT64_MIN;
    return condition;
}

static bool read_condition(struct statement *statement, const struct token **at)
{
    struct grouping *grouping = statement->grouping;
    const struct query_column *column = column_of(grouping->table, *at);
    char compare;
    bool or_equal;
    int64_t value;
    if (!column || grouping->condition_count == QUERY_TERMS_MAX)
        return false;
    ++*at;
    if (!read_operator(at, &compare, &or_equal))
        return false;
    bool is_text = column->type == QUERY_NAME || column->type == QUERY_WORD;
    bool good = column->type == QUERY_INTEGER
                    ? read_integer(at, &value) && value != QUERY_NULL
                    : is_text && compare == '=' && read_string(statement->data, at, column, &value);
    if (good)
        grouping->conditions[grouping->condition_count++] =
            between(column, compare, or_equal, value);
    return good;
}

/* ---- expressions ---- */

static const char *const aggregate_names[] = {"count", "sum", "total", "avg", "min", "max", NULL};

/* Of one row, which give the same for the same. */
static const char *const functions[] = {
    "abs",   "bytes_text", "coalesce", "duration", "format", "ifnull", "iif",   "instr", "length",
    "lower", "nullif",     "printf",   "round",    "substr", "typeof", "upper", NULL};

/* Where a column has such a name, the rewritten statement has no such column, which SQLite says. */
static const char *const keywords[] = {
    "and",   "as",     "asc",   "between", "by",   "case", "cast", "desc",  "else",    "end",
    "first", "glob",   "in",    "int",     "is",   "last", "like", "limit", "not",     "null",
    "or",    "offset", "order", "nulls",   "real", "text", "then", "when",  "integer", NULL};

static uint32_t sum_of(struct grouping *grouping, const struct query_column *column)
{
    uint32_t i = 0;
    while (i < grouping->sum_count && grouping->sums[i].column != column)
        i++;
    if (i == GROUP_SUMS_MAX)
        return TL_NONE;
    if (i == grouping->sum_count)
        grouping->sums[grouping->sum_count++].column = column;
    return i;
}

/* "count(*)", "sum(column)": leaves `at` at the last token of it. */
static bool read_aggregate(struct statement *statement, const struct token **at)
{
    struct grouping *grouping = statement->grouping;
    enum group_function function = (enum group_function)place_of(*at, aggregate_names);
    const struct token *inside = *at + 2;
    uint32_t sum = TL_NONE;
    char column[24];
    if (inside->kind == TOKEN_END || !is_mark(inside + 1, ')') ||
        grouping->aggregate_count == GROUP_AGGREGATES_MAX)
        return false;
    if (function != GROUP_COUNT || !is_mark(inside, '*')) {
        const struct query_column *of = column_of(grouping->table, inside);
        bool fits = of && (of->type == QUERY_INTEGER ||
                           (of->type == QUERY_NAME && function == GROUP_COUNT));
        sum = fits ? sum_of(grouping, of) : TL_NONE;
        if (sum == TL_NONE)
            return false;
        grouping->sums[sum].is_summed |=
            function == GROUP_SUM || function == GROUP_TOTAL || function == GROUP_AVG;
    }
    snprintf(column, sizeof column, "(+\"%u\")", grouping->aggregate_count);
    text_out_string(statement->rewritten, column);
    grouping->aggregates[grouping->aggregate_count].function = function;
    grouping->aggregates[grouping->aggregate_count++].sum = sum;
    *at = inside + 1;
    return true;
}

static bool is_key(const struct grouping *grouping, const struct token *token)
{
    for (uint32_t i = 0; i < grouping->key_count; i++)
        if (is_word(token, grouping->keys[i]->name))
            return true;
    return false;
}

static bool is_alias(const struct statement *statement, const struct token *token)
{
    for (uint32_t i = 0; i < statement->alias_count; i++)
        if (token->text.size == statement->aliases[i].size &&
            sqlite3_strnicmp(token->text.bytes, statement->aliases[i].bytes,
                             (int)token->text.size) == 0)
            return true;
    return false;
}

/* What follows AS: the type of a CAST, or the name of a result, which must not be a column's. */
static bool read_alias(struct statement *statement, const struct token *token)
{
    if (token->kind != TOKEN_WORD || column_of(statement->grouping->table, token) ||
        statement->alias_count == GROUP_AGGREGATES_MAX)
        return false;
    statement->aliases[statement->alias_count++] = token->text;
    return true;
}

static bool is_known(struct statement *statement, const struct token *token)
{
    if (token->kind != TOKEN_WORD)
        return true;
    if (is_mark(token + 1, '(') && place_of(token, functions) >= 0)
        return true;
    if (place_of(token, keywords) >= 0)
        return true;
    return !is_mark(token + 1, '(') &&
           (is_key(statement->grouping, token) || is_alias(statement, token));
}

/* Rewrites what lies between two tokens. */
static bool rewrite(struct statement *statement, const struct token *from, const struct token *end)
{
    for (const struct token *at = from; at < end; at++) {
        bool calls = is_mark(at + 1, '(');
        bool names = at > from && is_word(at - 1, "as");
        if (is_mark(at, '*') && (at == from || is_mark(at - 1, ',')))
            return false; /* all columns */
        if (names ? !read_alias(statement, at) : !calls && !is_known(statement, at))
            return false;
        if (calls && at->kind == TOKEN_WORD && place_of(at, aggregate_names) >= 0) {
            if (!read_aggregate(statement, &at))
                return false;
        } else if (calls && !is_known(statement, at)) {
            return false;
        } else {
            text_out_bytes(statement->rewritten, at->text.bytes, at->text.size);
        }
        const char *after = at->text.bytes + at->text.size;
        if (at + 1 < end && at[1].text.bytes != after)
            text_out_string(statement->rewritten, " ");
    }
    return true;
}

/* ---- the statement ---- */

static bool read_keys(struct statement *statement, const struct token **at)
{
    struct grouping *grouping = statement->grouping;
    do {
        const struct query_column *column = column_of(grouping->table, *at);
        if (!column || !query_has_key(column) || is_key(grouping, *at) ||
            grouping->key_count == GROUP_KEYS_MAX)
            return false;
        grouping->keys[grouping->key_count++] = column;
        *at += 2;
    } while (is_mark(*at - 1, ','));
    --*at;
    return true;
}

static bool read_statement(struct statement *statement)
{
    struct grouping *grouping = statement->grouping;
    const struct token *at = statement->tokens, *from, *end = at + statement->count;
    if (!is_word(at, "select"))
        return false;
    for (from = at; from < end && !is_word(from, "from"); from++)
        continue;
    const struct token *rest = from + 2;
    if (rest > end || !read_table(grouping, from + 1))
        return false;
    if (is_word(rest, "where"))
        do {
            rest++;
            if (!read_condition(statement, &rest))
                return false;
        } while (is_word(rest, "and"));
    if (is_word(rest, "group") && is_word(rest + 1, "by")) {
        rest += 2;
        if (!read_keys(statement, &rest))
            return false;
    }
    text_out_string(statement->rewritten, "SELECT ");
    if (!rewrite(statement, at + 1, from))
        return false;
    text_out_string(statement->rewritten, " FROM " GROUPS_TABLE " ");
    if (grouping->key_count && is_word(rest, "having")) {
        text_out_string(statement->rewritten, "WHERE ");
        rest++;
    } else if (rest < end && !is_word(rest, "order") && !is_word(rest, "limit")) {
        return false;
    }
    if (!rewrite(statement, rest, end))
        return false;
    text_out_bytes(statement->rewritten, "", 1);
    return grouping->key_count || grouping->aggregate_count;
}

bool grouping_read(struct grouping *grouping, struct query_data *data, struct text sql,
                   struct text_out *rewritten)
{
    struct statement *statement = calloc(1, sizeof *statement);
    *grouping = (struct grouping){0};
    bool read = false;
    if (statement) {
        statement->grouping = grouping;
        statement->data = data;
        statement->rewritten = rewritten;
        read = read_tokens(statement, sql) && read_statement(statement) && !rewritten->failed;
    }
    free(statement);
    return read;
}
