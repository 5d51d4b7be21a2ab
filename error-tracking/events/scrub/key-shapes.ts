import { removedMark } from '../../contracts/removed.ts'

/** Keys and tokens with a known form, under any name. */
const shapes: readonly (readonly [RegExp, string])[] = [
  // JWT, and JWE with its five parts
  [/(?<![\w-])eyJ[\w-]{5,}\.(?:[\w-]*\.){1,3}[\w-]*|(?<![\w-])eyJ[\w-]{5,}\.eyJ[\w-]+/g, 'token'],
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])/g, 'key'],
  [/(?<![A-Za-z0-9])(?:gh[opusr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/g, 'token'],
  [/(?<![A-Za-z0-9])(?:glpat|gldt|glrt|glsoat)-[\w-]{15,}/g, 'token'],
  [/(?<![A-Za-z0-9])(?:xox[a-z]|xapp)-[\w-]{10,}/g, 'token'],
  [/(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{8,}/g, 'key'],
  [/(?<=\/api\/webhooks\/\d{5,25}\/)[\w-]{20,}/g, 'key'],
  [/(?<![A-Za-z0-9])(?:[srp]k|rk)_(?:live|test|prod)_\w{8,}|(?<![A-Za-z0-9])whsec_[\w+/=]{10,}/g, 'key'],
  [
    /(?<![A-Za-z0-9])AIza[\w-]{30,}|(?<![A-Za-z0-9])ya29\.[\w-]{10,}|(?<![A-Za-z0-9])GOCSPX-[\w-]{10,}/g,
    'key',
  ],
  [/(?<![A-Za-z0-9])SG\.[\w-]{10,}\.[\w-]{10,}/g, 'key'],
  [/(?<![A-Za-z0-9])sk-(?:ant-|proj-|or-|svcacct-)?[\w-]{20,}/g, 'key'],
  [
    /(?<![A-Za-z0-9])(?:npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|hf_[A-Za-z0-9]{20,}|do[opr]_v1_[0-9a-f]{30,})/g,
    'token',
  ],
  [/(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}|(?<![A-Za-z0-9])sq0[a-z]{3}-[\w-]{20,}/g, 'token'],
  [/(?<![A-Za-z0-9])sv_rw?_[0-9A-Za-z]{40,}|(?<![A-Za-z0-9])sntr[yu]s_[\w=+/-]{20,}/g, 'key'],
  [/(?<![A-Za-z0-9])(?:bot)?\d{8,10}:AA[\w-]{30,40}/g, 'token'],
  [/(?<![A-Za-z0-9])key-[0-9a-f]{32}(?![0-9a-f])/g, 'key'],
  [/(?<![A-Za-z0-9])AGE-SECRET-KEY-1[0-9A-Z]{20,}|(?<![A-Za-z0-9])hvs\.[\w-]{20,}/g, 'key'],
]

/** A quick check before all patterns, because nearly all texts match none. */
const anyShape =
  /eyJ|A(?:KIA|SIA|BIA|CCA|GPA|IDA|ROA)|gh[opusr]_|github_pat_|gl(?:pat|dt|rt|soat)-|xox|xapp-|slack\.com|webhooks|_(?:live|test|prod)_|whsec_|AIza|ya29|GOCSPX|SG\.|sk-|npm_|pypi-|hf_|do[opr]_v1|shp|sq0|sv_r|sntr|:AA|key-|AGE-S|hvs\./

const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g

/** Removes keys with a known form. */
export const scrubShapes = (text: string): string => {
  let rest = scrubBlocks(text)
  if (!anyShape.test(rest)) return rest
  for (const [pattern, what] of shapes) rest = rest.replaceAll(pattern, removedMark(what))
  return rest
}

/** Removes private keys in PEM, including truncated ones. */
const scrubBlocks = (text: string): string => {
  let out = ''
  let rest = text
  for (;;) {
    const at = rest.includes('-----BEGIN') ? rest.search(begin) : -1
    if (at === -1) return out + rest
    out += rest.slice(0, at) + removedMark('private key')
    end.lastIndex = at
    const closed = end.exec(rest)
    if (closed === null) return out
    rest = rest.slice(end.lastIndex)
  }
}

/** `user:password@` in a URL after `//`, up to the last `@` before the path. */
const userInfo = /[^\s/?#"'<>\\`]{1,512}@/y
/** Passwords with a slash or similar, which some tools accept. Digits after the colon would be a port. */
const oddUserInfo = /[^\s/?#:@[\]"'<>\\`]{1,128}:(?!\d{1,5}(?:[/?#]|$))[^\s@"'<>`]{1,256}@/y

/** Removes user and password from URLs. */
export const scrubUserInfo = (text: string): string =>
  text.includes('//') && text.includes('@')
    ? scrubAfterSlashes(scrubAfterSlashes(text, userInfo), oddUserInfo)
    : text

/** Tries the pattern only after `//`, which is much faster than at every character. */
const scrubAfterSlashes = (text: string, pattern: RegExp): string => {
  let out = ''
  let done = 0
  for (let at = text.indexOf('//'); at !== -1; at = text.indexOf('//', Math.max(at + 1, done))) {
    pattern.lastIndex = at + 2
    if (!pattern.test(text)) continue
    out += `${text.slice(done, at + 2)}${userMark}@`
    done = pattern.lastIndex
  }
  return done === 0 ? text : out + text.slice(done)
}

const userMark = removedMark('credentials')

const scheme = /(?<![\w-])(bearer|basic|token|apikey|negotiate|ntlm)([ \t]{1,4}|%20|\+)([\w.~+/=:-]{6,})/gi

/** Removes the credentials after an `Authorization` scheme, anywhere in a text. */
export const scrubSchemes = (text: string): string =>
  text.replaceAll(scheme, (found, name: string, between: string, value: string) =>
    isCredential(name.toLowerCase(), value) ? `${name}${between}${removedMark('credentials')}` : found,
  )

/** False for a word of a sentence, as in "basic authentication failed". */
const isCredential = (name: string, value: string): boolean => {
  if (name === 'basic') return /^[!-9;-~]*:[ -~]*$/.test(Buffer.from(value, 'base64').toString('latin1'))
  if (/^[a-z]+[.:]?$/i.test(value) && value.length < 24) return false
  return name === 'token' ? /\d/.test(value) && value.length >= 16 : true
}
