/** The kind of secret that a name indicates, for the mark, and whether it is certain. */
export type SecretName = { what: string; isSure: boolean }

/** Parts of a normalized name that make its value secret. */
const sure: readonly (readonly [RegExp, string])[] = [
  [/password|passwd|passwor[dt]|passphrase|passcode|kennwort|contrasena|motdepasse|mysqlpwd/, 'password'],
  [/secret(?!ar)|seedphrase|mnemonic|connectionstring/, 'secret'],
  [
    /api_?key|(?:access|private|signing|encryption|master|shared|account|subscription|ssh|auth|webhook|service|license|session|secret|deploy)key(?!s?tone|board|word)/,
    'key',
  ],
  [/credential|userinfo/, 'credentials'],
  [
    /(?:access|refresh|id|auth|bearer|session|user|api|bot|csrf|xsrf|device|push|reset|invite|security)tokens?$|csrf|xsrf|xamzsecuritytoken/,
    'token',
  ],
  [/session_?id|sessid|sessionkey|connectsid/, 'session'],
  [/creditcard|cardnumber|ccnumber|securitycode/, 'card'],
  [/socialsecurity/, 'ssn'],
  [/onetimecode|otpcode|recoverycode|backupcode/, 'code'],
]

/** Words that make a name secret as whole words. */
const words: ReadonlyMap<string, SecretName> = new Map(
  Object.entries({
    password: 'pwd pw pass passw psw passwords senha',
    credentials: 'creds cred',
    cookie: 'cookie cookies',
    card: 'cvv cvv2 cvc cvc2 csc',
    ssn: 'ssn',
    iban: 'iban',
    session: 'sid',
  }).flatMap(([what, all]) => all.split(' ').map((word) => [word, { what, isSure: true }])),
)
const weakWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    token: 'token tokens jwt csrf xsrf bearer',
    credentials: 'auth oauth authorization authentication',
    session: 'session sessions',
    code: 'otp totp pin mfa',
    signature: 'signature sig hmac',
  }).flatMap(([what, all]) => all.split(' ').map((word) => [word, what] as const)),
)

/** Last words that make the value data about a secret. */
const about = new Set(
  `count counts limit total used usage type length len size index expiry expires expired expiration ttl valid status
  duration timeout number errors method url uri endpoint provider name policy required enabled at in age ago started
  strength attempts kind scheme source replay user`.split(/\s+/),
)
/** Last words with the same effect after a certain name. */
const surelyAbout = new Set([
  'length',
  'count',
  'policy',
  'expires',
  'expiry',
  'required',
  'enabled',
  'strength',
  'at',
  'attempts',
])
/** Words before `tokens` that make it a count of a language model. */
const counted = new Set([
  'max',
  'min',
  'prompt',
  'completion',
  'input',
  'output',
  'total',
  'used',
  'num',
  'cached',
  'unexpected',
])

const nameCharactersMax = 200
const file =
  /\.(?:[cm]?[jt]sx?|py|rb|go|java|php|cs|rs|cc?|cpp|kt|swift|exs?|vue|html?|css|scss|json|ya?ml|toml|sql|svelte|dart|scala|pl|sh)$/i

/** A name without case and separators: `Api-Key`, `api_key` and `apiKey` are equal. */
export const normalizeName = (name: string): string => {
  const end = name.slice(-nameCharactersMax)
  return ascii.test(end)
    ? end.toLowerCase().replaceAll(/[^a-z0-9]+/g, '')
    : end
        .normalize('NFKC')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
const ascii = /^[\x20-\x7e]*$/

/**
 * A part of every secret name: one for each form and word above. Nearly all names have none and need no
 * further check.
 */
const hint =
  /pass|pwd|pw|psw|passwor|kennwort|contrasena|motdepasse|secret|seedphrase|mnemonic|connectionstring|key|cred|userinfo|token|srf|sess|connectsid|card|ccn|code|socialsecurity|senha|cookie|cv[cv]|csc|ssn|iban|sid|jwt|bearer|auth|otp|pin|mfa|sig|hmac/

/** False if a name is certainly harmless. */
export const mayBeSecret = (name: string): boolean => hint.test(normalizeName(name))

/** The secret that a name indicates; null for a harmless name. */
export const secretName = (given: string, extraNames: ReadonlySet<string>): SecretName | null => {
  // a mark inside a name is no evidence about the value
  const name = given.includes('[removed: ') ? given.replaceAll(marks, '') : given
  if (extraNames.size > 0 && extraNames.has(normalizeName(name))) return { what: 'by rule', isSure: true }
  if (name.length > knownCharactersMax) return judge(name)
  let known = judged.get(name)
  if (known === undefined) {
    if (judged.size === judgedMax) judged.clear()
    judged.set(name, (known = judge(name)))
  }
  return known
}

/** Caches results, because names repeat and judging one takes longer than scrubbing its value. */
const judged = new Map<string, SecretName | null>()
const judgedMax = 2_000
const knownCharactersMax = 60

const judge = (name: string): SecretName | null => (mayBeSecret(name) ? judgeName(name) : null)

/** Like `secretName`, without marks, cache and project names. */
export const judgeName = (name: string): SecretName | null => {
  if (file.test(name)) return null
  const plain = normalizeName(name)
  if (plain === '') return null
  const parts = wordsOf(name.slice(-nameCharactersMax))
  const last = parts.at(-1) ?? ''
  for (const [pattern, what] of sure) {
    if (pattern.test(plain)) return surelyAbout.has(last) ? null : { what, isSure: true }
  }
  for (const [index, part] of parts.entries()) {
    const known = words.get(part)
    if (known !== undefined) return about.has(last) ? null : known
    const what = weakWords.get(part) ?? (/.tokens?$/.test(part) ? 'token' : undefined)
    if (what === undefined) continue
    if (about.has(last) || counted.has(parts[index - 1] ?? '')) return null
    return { what, isSure: false }
  }
  return null
}

const marks = /\[removed: [a-z0-9 ]{1,40}\]/g

const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKC')
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Harmless values in place of a secret: empty, a word such as "missing", or a placeholder. */
const harmless =
  /^(?:null|undefined|none|nil|true|false|yes|no|string|number|boolean|any|str|int|bool|bytes|object|unknown|missing|required|invalid|empty|expired|incorrect|wrong|optional|redacted|filtered|failed|denied|\[filtered\]|\[redacted\]|\[removed: [a-z0-9 ]+\]|<[a-z]{0,10}>|\*+|•+|%[sdr]|\?|\$\d+|\$\{[\w.]{1,60}\}?|\{\}|\[\]|\{\{auto\}\})?$/i

const signature = /^[\w+/=%.-]{16,}$/

/** Whether a value with a secret name may stay. */
export const mayStay = (value: string, { what }: SecretName, name: string): boolean =>
  harmless.test(value.trim()) ||
  (what === 'signature' && !signature.test(value)) ||
  // the working directory, in a dump of an environment
  (/^(?:OLD)?PWD$/.test(name) && /^(?:\/|[A-Z]:\\)/.test(value))
