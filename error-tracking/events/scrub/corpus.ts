import type { ScrubRules } from './scrub.ts'

/** A value from an SDK with secrets. */
type ScrubCase = {
  what: string
  value: unknown
  /** Texts that the scrubbed value must not contain, in any encoding. */
  secrets: readonly string[]
  rules?: Partial<ScrubRules>
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
/** Joins parts, so that secret scanners find no key in this file. */
const made = (...parts: string[]): string => parts.join('')
const word = 'hunter2Zq'
const id40 = '3kTMd9fQ1wZx8LbN5vRy7HcJ2gPs6KaE4uXo0iDn'
const number = '4111111111111111'
const iban = 'DE89370400440532013000'
const jwt = made('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0NTY3ODkwIn0', '.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P')
const pem = made(
  '-----BEGIN RSA ',
  'PRIVATE KEY-----\nMIIEowIBAAKCAQEAx9\nq8tV2nQ==\n-----END RSA ',
  'PRIVATE KEY-----',
)

/** Names with secret values. */
const names =
  `password Password userPassword user_password passwd db_passwd mysql_pwd MYSQL_PWD secret client_secret
  clientSecret APP_SECRET secretKey api_key apikey apiKey X-Api-Key x_api_key auth credentials private_key privateKey
  token accessToken access_token refresh-token id_token authToken X-Auth-Token session session_id sessionid PHPSESSID
  JSESSIONID connect.sid csrf csrf_token X-CSRFToken xsrf-token cookie Cookie Set-Cookie Authorization
  Proxy-Authorization ssn passphrase otp pin cvv card_number aws_secret_access_key AWS_SESSION_TOKEN dbPwd jwt
  signing_key passwort Ocp-Apim-Subscription-Key pass`
    .trim()
    .split(/\s+/)
    .map((name): ScrubCase => ({
      what: `the value of ${name}`,
      value: { [name]: word },
      secrets: [word],
    }))

/** Ways to write a name and its value in a text. */
const texts: ScrubCase[] = [
  `password=${word}`,
  `password = "${word}"`,
  `password: ${word}`,
  `password: '${word} with blanks'`,
  `PASSWORD:${word}`,
  `{"password":"${word}"}`,
  `{"password" : "${word}", "a":1`,
  `body was {\\"password\\":\\"${word}\\"}`,
  `{'password': '${word}'}`,
  `{:password=>"${word}"}`,
  `array('password' => '${word}')`,
  `$config['password'] = '${word}';`,
  `const password = "${word}";`,
  `user[password]=${word}&user[name]=bob`,
  `a=1&client_secret=${word}&b=2`,
  `a=1;token=${word};b=2`,
  `user%5Bpassword%5D=${word}&x=1`,
  `redirect=%2Flogin%3Fpassword%3D${word}`,
  `next=%252Flogin%253Fpassword%253D${word}`,
  `Server=db;Uid=app;Pwd=${word};Database=x`,
  `psql --password ${word} -h db`,
  `mysql --password=${word}`,
  `curl -u bob:${word} https://example.org`,
  `curl -H "Authorization: Bearer ${word}1" https://example.org`,
  `Authorization: Bearer ${word}123`,
  `Authorization: Basic ${base64(`bob:${word}`)}`,
  `Proxy-Authorization: Digest username="bob", response="${word}"`,
  `sent Bearer ${word}123 and was refused`,
  `sent Basic ${base64(`bob:${word}`)} and was refused`,
  `Cookie: theme=dark; sid=${word}; lang=en`,
  `Set-Cookie: any=${word}; Path=/; HttpOnly`,
  `X-Api-Key: ${word}`,
  `api key: ${word}`,
  `access denied for password '${word}'`,
  `password is "${word}"`,
  `CREATE USER a IDENTIFIED BY '${word}'`,
  `ALTER ROLE a WITH PASSWORD '${word}'`,
  `<login><password>${word}</password></login>`,
  `<wsse:Password Type="text">${word}</wsse:Password>`,
  `<input name="password" value="${word}">`,
  `--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n${word}\r\n--x--`,
  `&quot;password&quot;:&quot;${word}&quot;`,
  `token: ${word}`,
  `invalid token=${word}`,
  `/login;jsessionid=${word}?a=1`,
  `https://example.org/?token=${word}&a=b#top`,
  `https://example.org/cb#access_token=${word}&state=1`,
  `https://bob:${word}@example.org/a`,
  `https://bob:${word}@@example.org/a`,
  `postgres://app:${word}/x@db:5432/shop`,
  `redis://:${word}@cache:6379`,
  `amqp://bob:${word}%40x@mq/v`,
  `https://${word}@github.com/a/b.git`,
  `failed to connect to mongodb+srv://a:${word}@m.example.org/db?retryWrites=true`,
  `https://s3.example.org/a?X-Amz-Signature=${word}${id40}&X-Amz-Expires=60`,
  `https://a.example/b?sv=2022&sig=${word}${id40}%3D`,
  `export AWS_SECRET_ACCESS_KEY=${word}`,
  `password=${word}%20more`,
  `line one\npassword: ${word}\nline three`,
  `token=${word}, user=bob`,
  `(secret: ${word})`,
  `password="${word}`,
  `password="a\\"${word}"`,
].map((value) => ({ what: JSON.stringify(value).slice(0, 90), value, secrets: [word] }))

/** Secrets that are recognised by their form, under harmless names. */
const forms: ScrubCase[] = [
  ['a card', number],
  ['a card in groups', '4111 1111 1111 1111'],
  ['a card with dashes', '5500-0000-0000-0004'],
  ['a card of American Express', '378282246310005'],
  ['a card of American Express in groups', '3782 822463 10005'],
  ['a card of Discover', '6011111111111117'],
  ['a card of JCB', '3530111333300000'],
  ['a card of Mastercard, second range', '2223003122003222'],
  ['a card of 19 digits', '6304000000000000000'],
  ['an IBAN', iban],
  ['an IBAN in groups', 'GB29 NWBK 6016 1331 9268 19'],
  ['an IBAN in lower case', 'nl91abna0417164300'],
  ['a JWT', jwt],
  ['a JWT without a signature', `${jwt.split('.').slice(0, 2).join('.')}.`],
  ['a private key', pem],
  ['a truncated private key', pem.slice(0, 60)],
  ['a private key of OpenSSH', pem.replaceAll('RSA', 'OPENSSH')],
  ['a private key in one line', pem.replaceAll('\n', '\\n')],
  ['an access key of AWS', made('AKIA', 'IOSFODNN7EXAMPLE')],
  ['a temporary key of AWS', made('ASIA', 'IOSFODNN7EXAMPLE')],
  ['a token of GitHub', made('ghp', '_', id40.slice(0, 36))],
  ['a fine-grained token of GitHub', made('github', '_pat_', id40)],
  ['a token of GitLab', made('glpat', '-', id40.slice(0, 20))],
  ['a token of Slack', made('xoxb', '-123456789012-', id40.slice(0, 24))],
  [
    'a webhook of Slack',
    made('https://hooks.slack.com', '/services/T00000000/B00000000/', id40.slice(0, 24)),
  ],
  ['a key of Stripe', made('sk', '_live_', id40.slice(0, 24))],
  ['a restricted key of Stripe', made('rk', '_test_', id40.slice(0, 24))],
  ['a webhook secret', made('whsec', '_', id40.slice(0, 32))],
  ['a key of Google', made('AIza', id40.slice(0, 35))],
  ['a key of SendGrid', made('SG', '.', id40.slice(0, 22), '.', id40)],
  ['a key of a language model', made('sk', '-ant-', id40)],
  ['a token of npm', made('npm', '_', id40.slice(0, 36))],
  ['a token of PyPI', made('pypi', '-', id40)],
  ['a token of Hugging Face', made('hf', '_', id40.slice(0, 34))],
  ['a token of Shopify', made('shpat', '_', '0123456789abcdef0123456789abcdef')],
  ['a token of Telegram', made('123456789', ':AA', id40.slice(0, 33))],
  ['a key of this service', made('sv', '_rw_', `${id40}123456789`)],
  ['an e-mail address', 'bob.smith+shop@mail.example.org'],
  ['an e-mail address with umlauts', 'jürgen@bücher.example'],
  ['an IPv4 address', '203.0.113.77'],
  ['an IPv6 address', '2001:db8::8a2e:370:7334'],
  ['an IPv6 address in full', '2001:0db8:0000:0000:0000:8a2e:0370:7334'],
  ['an IPv4-mapped IPv6 address', '::ffff:203.0.113.77'],
].flatMap(([what = '', form = '']): ScrubCase[] => {
  const secret = form.includes('PRIVATE')
    ? 'MIIEowIBAAKCAQEAx9'
    : (/hooks\.slack\.com.*\/(.*)/.exec(form)?.[1] ?? form)
  return [
    { what, value: form, secrets: [secret] },
    { what: `${what} in a sentence`, value: `got (${form}), and stopped.`, secrets: [secret] },
  ]
})

const others: ScrubCase[] = [
  { what: 'a card as a number', value: { a: Number(number) }, secrets: [number] },
  { what: 'a card in a query', value: `https://a.example/?n=${number}&b=1`, secrets: [number] },
  { what: 'a deeply nested password', value: { a: [{ b: { c: { password: word } } }] }, secrets: [word] },
  {
    what: 'an object under a secret name',
    value: { credentials: { a: word, b: [word] } },
    secrets: [word],
  },
  { what: 'a list under a secret name', value: { tokens: [word] }, secrets: [word] },
  { what: 'a number under a secret name', value: { pin: 48_213 }, secrets: ['48213'] },
  {
    what: 'a cookie in headers as pairs',
    value: [
      ['Host', 'a'],
      ['Cookie', `a=${word}`],
    ],
    secrets: [word],
  },
  { what: 'a token in headers as objects', value: [{ name: 'Authorization', value: word }], secrets: [word] },
  { what: 'a command line argument', value: ['run', '--api-key', word, '-v'], secrets: [word] },
  { what: 'a password in JSON in a text', value: JSON.stringify({ a: { password: word } }), secrets: [word] },
  {
    what: 'a password in JSON in JSON',
    value: JSON.stringify({ a: JSON.stringify({ password: word }) }),
    secrets: [word],
  },
  {
    what: 'a password in JSON in a JSON text',
    value: JSON.stringify(JSON.stringify({ password: word })),
    secrets: [word],
  },
  { what: 'a secret under a duplicate key', value: `{"a":"${jwt}","a":1}`, secrets: [jwt] },
  {
    what: 'a password in JSON in base64',
    value: { a: base64(`{"password":"${word}"}`) },
    secrets: [word, base64(`{"password":"${word}"}`)],
  },
  {
    what: 'user and password in base64',
    value: { a: base64(`bob:${word}`) },
    secrets: [base64(`bob:${word}`)],
  },
  {
    what: 'a password in JSON in a query',
    value: `a=${encodeURIComponent(`{"password":"${word}"}`)}`,
    secrets: [word],
  },
  {
    what: 'a secret as a key',
    value: { [jwt]: 1, 'bob@example.org': 2 },
    secrets: [jwt, 'bob@example.org'],
  },
  { what: 'a password under an escaped name', value: `{"pass\\u0077ord":"${word}"}`, secrets: [word] },
  {
    what: 'a password under a name in fullwidth letters',
    value: { ｐａｓｓｗｏｒｄ: word },
    secrets: [word],
  },
  {
    what: 'a URL-encoded e-mail address',
    value: 'q=bob%40example.org',
    secrets: ['bob@example.org'],
  },
  { what: 'an IP address with a port', value: 'from 203.0.113.77:51234', secrets: ['203.0.113.77'] },
  {
    what: 'a value with a name of the project',
    value: { Kunde_Nr: word },
    secrets: [word],
    rules: { names: ['kundeNr'] },
  },
  {
    what: 'a value with a name of the project in a text',
    value: `kunde-nr=${word}`,
    secrets: [word],
    rules: { names: ['kundeNr'] },
  },
  {
    what: 'a list with a name of the project',
    value: { a: { KUNDENR: [word] } },
    secrets: [word],
    rules: { names: ['kunde nr'] },
  },
]

export const scrubCorpus: readonly ScrubCase[] = [...names, ...texts, ...forms, ...others]
