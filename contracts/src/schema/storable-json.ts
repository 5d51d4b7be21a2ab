/**
 * JSON without what stores refuse: neither jsonb nor ClickHouse keeps NUL or half of a surrogate pair,
 * which a text that was cut somewhere may end with. Each becomes U+FFFD.
 * @param json as `JSON.stringify` writes it, which escapes what is half only
 */
export const storableJson = (json: string): string =>
  json.replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (escape) =>
    escape === '\\\\' ? escape : '\ufffd',
  )
