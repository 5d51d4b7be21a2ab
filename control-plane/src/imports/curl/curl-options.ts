/** What an option of curl means for a check. */
type CurlOption =
  /** Changes only what curl prints, stores or retries. */
  | { kind: 'output'; hasValue: boolean }
  /** Changes how curl connects; a check has its own way. Named in a warning. */
  | { kind: 'left_out'; hasValue: boolean; why: string }
  /** A check cannot do it. */
  | { kind: 'refused'; hasValue: boolean; why: string }
  /** Read by its long name. */
  | { kind: 'read'; hasValue: boolean }

const words = (text: string): string[] => text.trim().split(/\s+/)

const outputFlags = words(`
  --append --create-dirs --disable --fail --fail-early --fail-with-body --false-start --include --junk-session-cookies
  --no-alpn --no-buffer --no-clobber --no-keepalive --no-npn --no-progress-meter --no-sessionid --parallel
  --parallel-immediate --progress-bar --remote-header-name --remote-name --remote-name-all --remote-time --remove-on-error
  --retry-all-errors --retry-connrefused --show-error --silent --styled-output --suppress-connect-headers --tcp-fastopen
  --tcp-nodelay --trace-time --use-ascii --verbose --xattr --no-silent --basic --ssl --ssl-reqd --no-fail
  --no-compressed`)

const outputValues = words(`
  --cookie-jar --create-file-mode --dump-header --expect100-timeout --happy-eyeballs-timeout-ms --keepalive-time
  --libcurl --noproxy --output --output-dir --parallel-max --rate --retry --retry-delay --retry-max-time --stderr --trace
  --trace-ascii --write-out --etag-save`)

const readFlags = words(`
  --compressed --get --globoff --head --http1.1 --http2 --http2-prior-knowledge --ipv4 --ipv6 --location
  --location-trusted --no-location`)

const readValues = words(`
  --connect-to --cookie --data --data-ascii --data-binary --data-raw --data-urlencode --header --json --max-redirs
  --max-time --oauth2-bearer --range --referer --request --resolve --url --url-query --user --user-agent`)

const certificateFile =
  'A check reads no files: paste the certificate in the form, and store its key as a secret'
const proxy = 'A check is asked from its regions without a proxy'
const noFile = 'A check reads no files'
const otherLogin = 'A check can log in with Basic and bearer credentials only'

/** By long name, with the reason in words that end a sentence. */
const leftOut: readonly [names: string, hasValue: boolean, why: string][] = [
  ['--cert --key', true, certificateFile],
  ['--cert-type --key-type', true, certificateFile],
  ['--tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3', false, 'The probe chooses the version of TLS'],
  ['--tls-max --ciphers --tls13-ciphers --curves', true, 'The probe chooses the version and ciphers of TLS'],
  ['--cert-status --ssl-no-revoke', false, 'The probe verifies certificates by its own rules'],
  [
    '--dns-servers --doh-url --interface --local-port',
    true,
    'The probe uses the network and resolver of its region',
  ],
  ['--connect-timeout', true, 'A check has one time for the whole answer: write it with -m'],
  [
    '--limit-rate --max-filesize --speed-limit --speed-time',
    true,
    'The probe has its own limits of an answer',
  ],
  ['--hsts --alt-svc', true, 'The probe asks the URL as it is written'],
  ['--proto --proto-redir', true, 'The probe asks http and https only'],
  ['--post301 --post302 --post303', false, 'The check follows such a redirect as browsers do'],
  ['--anyauth', false, 'The check sends its credentials with the first request'],
  ['--ignore-content-length --raw --http0.9', false, 'The probe reads answers as browsers do'],
]

const refused: readonly [names: string, hasValue: boolean, why: string][] = [
  [
    '--insecure',
    false,
    'A check always verifies the certificate. Remove the option, or give the server a valid certificate',
  ],
  [
    '--cacert --capath',
    true,
    `${noFile}. Remove the option, and paste the authorities into the form of the check`,
  ],
  ['--pinnedpubkey', true, 'Remove the option, and enter the pins in the form of the check'],
  [
    '--form --form-string',
    true,
    'A check sends no multipart forms. Send the fields with -d, if the server accepts that',
  ],
  ['--upload-file', true, `${noFile}. Paste its content with --data-raw and -X PUT`],
  ['--config --netrc-file --etag-compare', true, `${noFile}. Write the options of the file in the command`],
  ['--netrc --netrc-optional', false, `${noFile}. Write the credentials with -u`],
  ['--pass', true, 'Store the key without its phrase as a secret'],
  ['--proxy --preproxy --proxy-user --proxy-header --proxy1.0', true, proxy],
  ['--socks4 --socks4a --socks5 --socks5-hostname --unix-socket --abstract-unix-socket', true, proxy],
  ['--proxytunnel --haproxy-protocol', false, proxy],
  ['--digest --ntlm --ntlm-wb --negotiate', false, otherLogin],
  ['--aws-sigv4 --delegation --service-name', true, otherLogin],
  [
    '--next',
    false,
    'A check sends one request. Paste each command by itself, or import a HAR file as a journey',
  ],
  ['--request-target', true, 'A check asks for the path of its URL'],
  ['--path-as-is', false, 'A check resolves .. in the path of its URL'],
  ['--http1.0 --http3 --http3-only', false, 'A check uses HTTP/1.1 or HTTP/2'],
  ['--time-cond --continue-at --proto-default', true, 'A check has nothing like it. Send the header with -H'],
  ['--crlf --tr-encoding', false, 'A check sends the body as it is written'],
]

const shorts: Readonly<Record<string, string>> = {
  '#': '--progress-bar',
  '0': '--http1.0',
  '1': '--tlsv1',
  '4': '--ipv4',
  '6': '--ipv6',
  ':': '--next',
  A: '--user-agent',
  B: '--use-ascii',
  C: '--continue-at',
  D: '--dump-header',
  E: '--cert',
  F: '--form',
  G: '--get',
  H: '--header',
  I: '--head',
  J: '--remote-header-name',
  K: '--config',
  L: '--location',
  N: '--no-buffer',
  O: '--remote-name',
  R: '--remote-time',
  S: '--show-error',
  T: '--upload-file',
  U: '--proxy-user',
  X: '--request',
  Y: '--speed-limit',
  Z: '--parallel',
  a: '--append',
  b: '--cookie',
  c: '--cookie-jar',
  d: '--data',
  e: '--referer',
  f: '--fail',
  g: '--globoff',
  i: '--include',
  j: '--junk-session-cookies',
  k: '--insecure',
  m: '--max-time',
  n: '--netrc',
  o: '--output',
  p: '--proxytunnel',
  q: '--disable',
  r: '--range',
  s: '--silent',
  u: '--user',
  v: '--verbose',
  w: '--write-out',
  x: '--proxy',
  y: '--speed-time',
  z: '--time-cond',
}

const options: ReadonlyMap<string, CurlOption> = new Map<string, CurlOption>([
  ...outputFlags.map((name) => [name, { kind: 'output', hasValue: false }] as const),
  ...outputValues.map((name) => [name, { kind: 'output', hasValue: true }] as const),
  ...readFlags.map((name) => [name, { kind: 'read', hasValue: false }] as const),
  ...readValues.map((name) => [name, { kind: 'read', hasValue: true }] as const),
  ...leftOut.flatMap(([names, hasValue, why]) =>
    words(names).map((name) => [name, { kind: 'left_out', hasValue, why }] as const),
  ),
  ...refused.flatMap(([names, hasValue, why]) =>
    words(names).map((name) => [name, { kind: 'refused', hasValue, why }] as const),
  ),
])

/** One option of a command, or a word that is none: a URL. `name` is the long one, `written` as in the command. */
export type Given =
  | { name: string; written: string; value: string; option: CurlOption }
  | { url: string }
  | { problem: string }

/** The options and URLs of a command after the word curl. */
export const givenIn = (words: readonly string[]): Given[] => {
  const given: Given[] = []
  let areOptions = true
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const next = (): string | undefined => words[(at += 1)]
    if (!areOptions || word === '-' || !word.startsWith('-')) given.push({ url: word })
    else if (word === '--') areOptions = false
    else if (word.startsWith('--')) given.push(longOption(word, next))
    else given.push(...shortOptions(word, next))
  }
  return given
}

const unknown = (written: string): Given => ({
  problem: `${written} is not known. Remove it, if it does not change the request.`,
})

const longOption = (word: string, next: () => string | undefined): Given => {
  const option = options.get(word)
  if (option === undefined) return unknown(word)
  if (!option.hasValue) return { name: word, written: word, value: '', option }
  const value = next()
  return value === undefined ? missing(word) : { name: word, written: word, value, option }
}

const missing = (written: string): Given => ({
  problem: `${written} has no value. Copy the whole command.`,
})

/** `-sSL`, `-XPOST` and `-sXPOST`: flags in a row, and the value of the last in the same word or the next. */
const shortOptions = (word: string, next: () => string | undefined): Given[] => {
  const given: Given[] = []
  for (let at = 1; at < word.length; at += 1) {
    const written = `-${word.charAt(at)}`
    const name = shorts[word.charAt(at)]
    const option = name === undefined ? undefined : options.get(name)
    if (name === undefined || option === undefined) return [...given, unknown(written)]
    if (!option.hasValue) given.push({ name, written, value: '', option })
    else {
      const value = at + 1 < word.length ? word.slice(at + 1) : next()
      return [...given, value === undefined ? missing(written) : { name, written, value, option }]
    }
  }
  return given
}
