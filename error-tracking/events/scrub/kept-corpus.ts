import type { ScrubRules } from './scrub.ts'

/** A value that must not change. */
type KeptCase = { what: string; value: unknown; rules?: Partial<ScrubRules> }

const keepAddresses = { keepAddresses: true }

export const keptCorpus: readonly KeptCase[] = [
  ['a card with a wrong check digit', '4111111111111112'],
  ['a card with a wrong check digit in groups', '4111 1111 1111 1112'],
  ['an IBAN with wrong check digits', 'DE88370400440532013000'],
  ['an IBAN that is too short', 'DE8937040044053201300'],
  ['an order number', 'order 100000000000016 is late'],
  ['a longer number', '41111111111111110000000'],
  ['a fraction', '0.4111111111111111'],
  ['a UUID', '41111111-1111-4111-8111-111111111111'],
  ['milliseconds', 'at 1763640000000'],
  ['nanoseconds', 'at 1763640000000000000'],
  ['an instant', '2026-11-20T12:00:00.000+01:00'],
  ['a commit', { commit: '3f9a2c1b77aa01ff3f9a2c1b77aa01ff3f9a2c1b' }],
  ['a hash', 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  ['an author', { author: 'Ann', authors: ['Bob'], authored_at: 'today', authority: 'a' }],
  ['a tokenizer', { file: 'src/tokenizer.ts', tokenizer: 'bpe' }],
  [
    'file names with secret words',
    ['src/auth/token.ts', 'password.py', 'session/index.js', 'C:\\app\\secret.cs'],
  ],
  ['a source position', 'at login (auth.js:12:5)'],
  ['a path', 'GET /api/tokens/list'],
  ['a namespace', 'std::auth::Token::new failed'],
  ['a sentence with a token and a colon', 'Unexpected token: semicolon'],
  ['a parse error', 'Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON'],
  ['a sentence about authentication', 'basic authentication failed, password required'],
  ['words that contain secret words', 'The secretary forgot the keyboard: it is a monkey.'],
  [
    'token counts of a language model',
    { max_tokens: 4_096, prompt_tokens: 12, total_tokens: 40, token_count: 1 },
  ],
  ['data about a secret', { token_type: 'Bearer', password_length: 8, session_duration: 40, auth_url: '/a' }],
  ['booleans and null under secret names', { password: true, has_token: false, secret: null }],
  ['empty values under secret names', { password: '', token: [], auth: {} }],
  ['values that the SDK filtered', { password: '[Filtered]', token: '********' }],
  ['placeholders', 'insert into a (password) values ($1); password = ? and token=%s and secret=${SECRET}'],
  ['a comparison', 'token === undefined'],
  ['the working directory', { PWD: '/srv/app', OLDPWD: '/root' }],
  ['a user agent', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36'],
  ['a version', 'version 1.2.3.4 of v10.0.0.1'],
  ['a package', 'left-pad@1.2.3'],
  ['loopback addresses', 'connect ECONNREFUSED 127.0.0.1:5432 and ::1'],
  ['times', '12:30:45 and 1:2:3'],
  ['a URL', 'https://example.org:8080/a/b?page=2&sort=name#top'],
  ['a module', 'webpack-internal:///./src/auth.ts'],
  ['an id of GraphQL', 'VXNlcjoxMjM0'],
  ['percent signs', '100%25 of 50%'],
  ['words as long as base64', 'internationalization/LocalizationRegistry'],
  ['names with harmless keys', { key: 'a', keys: ['b'], monkey: 'c', public_key: 'd', primary_key: 7 }],
  ['numbers, booleans and null', { a: 1, b: -0.5, c: 1e300, d: 1_763_640_000_000, e: true, f: null }],
  [
    'the keys `__proto__` and `constructor`',
    JSON.parse('{"__proto__":{"a":"b"},"constructor":1}') as unknown,
  ],
  ['JSON in a text', '{ "a" : [1, 2] }'],
  ['e-mail addresses if the project keeps addresses', 'bob@example.org', keepAddresses],
  ['IP addresses if the project keeps addresses', '203.0.113.77 and 2001:db8::1', keepAddresses],
].map(([what, value, rules]) => ({
  what: String(what),
  value,
  ...(rules === undefined ? {} : { rules: keepAddresses }),
}))
