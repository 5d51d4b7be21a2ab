import { expect, test } from 'vitest'
import { createSecretFinder } from '../draft/found-secrets.ts'
import { readCurl } from './read-curl.ts'

const read = (command: string) => {
  const secrets = createSecretFinder([])
  const draft = readCurl(command, secrets)
  if ('problems' in draft) throw new Error(draft.problems.join(' '))
  return { ...draft, secrets: secrets.found }
}

test.each([
  ['wget https://example.org/', 'must begin with curl'],
  ['curl', 'names no URL'],
  ['curl https://example.org/ | jq .', 'a pipe'],
  ['curl "$URL"', 'the variable $URL. Replace it by its value'],
  ['curl https://example.org/ -H "Authorization: Bearer $(cat token)"', 'the output of another command'],
  ['curl https://example.org/ && rm -rf /', 'must be in quotes'],
  ['curl https://example.org/?a=1&b=2', 'must be in quotes'],
  ['curl https://example.org/\ncurl https://example.com/', 'more than one command'],
  ["curl 'https://example.org/", 'not closed'],
  [`curl https://example.org/${'x'.repeat(50_000)}`, '40000 are allowed'],
  [`curl https://example.org/ -d $'a\\0b'`, 'a NUL'],
  [`curl https://example.org/ --data-binary $'\\x00abc'`, 'a NUL'],
  ["curl https://example.org/ -H ' X-A: b'", 'The header  X-A cannot be sent'],
  ["curl https://example.org/ -H 'X-A : b'", 'no space before its colon'],
  ['curl -k https://example.org/', '-k: A check always verifies the certificate'],
  ['curl https://example.org/ -F a=b', '-F: A check sends no multipart forms'],
  ['curl https://example.org/ -d @body.json', '-d: A check reads no files. Paste the content'],
  ['curl https://example.org/ --data-urlencode q@file', 'A check reads no files'],
  ['curl https://example.org/ -H @headers', 'A check reads no files'],
  ['curl https://example.org/ -b cookies.txt', 'A check reads no files'],
  ['curl https://example.org/ -T file', 'A check reads no files'],
  ['curl https://example.org/ --frobnicate', '--frobnicate is not known'],
  ['curl https://example.org/ -sZq8', '-8 is not known'],
  ['curl https://example.org/ https://example.com/', 'names 2 URLs'],
  ['curl https://example.org/ --next https://example.com/', '--next: A check sends one request'],
  ['curl ftp://example.org/', 'needs a URL that begins with http:// or https://'],
  ['curl -X OPTIONS https://example.org/', 'The method OPTIONS is not possible'],
  ['curl -u me https://example.org/', '-u has no password'],
  ['curl -u me:12345 https://example.org/', 'has 5 characters; a secret has 6'],
  ["curl 'https://example.org/{a,b}'", 'curl reads as several URLs'],
  ['curl https://example.org/{a,b}', 'braces that a shell expands'],
  ['curl -x http://proxy:8080 https://example.org/', 'without a proxy'],
  ['curl -I https://example.org/ -d x', 'either -I or a body'],
  ['curl https://example.org/ -H', '-H has no value'],
  // F-10: what names another host or address, and no check has
  [
    "curl -H 'Host: example.org/x' https://example.org/",
    'The header Host cannot be sent: it is example.org/x',
  ],
  ["curl -H 'Host: me@example.com' https://example.org/", 'it is me@example.com, and must be a host'],
  ["curl -H 'Host: bücher.example' https://example.org/", 'must be a host, in xn-- form'],
  ["curl -H 'Host: a:' https://example.org/", 'The header Host cannot be sent: it is a:'],
  ["curl -H 'Host: {{ secret.host }}' https://example.org/", 'The header Host cannot be sent'],
  ["curl -H 'Host:' https://example.org/", 'The header Host cannot be removed'],
  ["curl -H 'Host;' https://example.org/", 'The header Host cannot be sent: it is empty'],
  ["curl -H 'Host;' -H 'Host: www.example.com' https://example.org/", 'Host cannot be sent: it is empty'],
  ["curl -H 'Host : www.example.com' https://example.org/", 'a header has no space before its colon'],
  [
    'curl --resolve example.org:443:203.0.113.9,[2001:db8::1] https://example.org/',
    'curl tries each of the 2 addresses; a check connects to one',
  ],
  ['curl --resolve example.org:443:www.example.com https://example.org/', 'www.example.com is no address'],
  ['curl --resolve example.org:443:127.1 https://example.org/', '127.1 is no address'],
  ['curl --resolve example.org:443:fe80::1%eth0 https://example.org/', 'fe80::1%eth0 is no address'],
  ['curl --resolve other.example:443:localhost https://example.org/', 'localhost is no address'],
  ['curl --resolve example.org:443: https://example.org/', 'it has no address'],
  ['curl --resolve example.org:443 https://example.org/', 'not written as host:port:address'],
  ['curl --resolve example.org https://example.org/', 'not written as host:port:address'],
  ['curl --resolve example.org:*:203.0.113.9 https://example.org/', 'not written as host:port:address'],
  ['curl --resolve example.org:99999:203.0.113.9 https://example.org/', 'not written as host:port:address'],
  ['curl --resolve 2001:db8::1:443:203.0.113.9 https://[2001:db8::1]/', 'db8::1:443:203.0.113.9: it is not'],
  ['curl -6 --resolve example.org:443:203.0.113.9 https://example.org/', 'IPv6 (-6) and names the address'],
  ['curl -4 --connect-to ::[2001:db8::1]:443 https://example.org/', 'IPv4 (-4) and names the address'],
  ['curl --connect-to ::2001:db8::1 https://example.org/', 'db8::1 is no port'],
  ['curl --connect-to ::[fe80::1%25eth0]:443 https://example.org/', 'needs brackets, and has no zone'],
  ['curl --connect-to ::203.0.113.9:99999 https://example.org/', '99999 is no port'],
  ['curl --connect-to ::203.0.113.9/x https://example.org/', '203.0.113.9/x is no host'],
  ['curl --pinnedpubkey key.pem https://example.org/', '--pinnedpubkey key.pem: A check reads no files'],
  ['curl --pinnedpubkey sha256//short= https://example.org/', 'It is no SHA-256 in base64'],
  [`curl --pinnedpubkey 'sha256//${'A'.repeat(43)}=;' https://example.org/`, 'It is no SHA-256 in base64'],
  [
    `curl --pinnedpubkey '${[...'ABCDEF'].map((letter) => `sha256//${letter.repeat(43)}=`).join(';')}' https://example.org/`,
    'has 6 pins; a check has 5 at most',
  ],
  [
    'curl --cacert ca.pem https://example.org/',
    '--cacert: A check reads no files. Remove the option, and paste',
  ],
  // headers that change the request
  ['curl -A my-agent https://example.org/', 'The header User-Agent cannot be sent: a probe says who it is'],
  ["curl -H 'User-Agent: Pingdom.com_bot' https://example.org/", 'The header User-Agent cannot be sent'],
  ["curl -H 'Accept-Encoding: identity' https://example.org/", 'accepts gzip, deflate and br, not identity'],
  ["curl -H 'Accept-Encoding: gzip;q=0' https://example.org/", 'not gzip;q=0'],
  ["curl -H 'Accept-Encoding: zstd' https://example.org/", 'not zstd'],
  [
    "curl -H 'Content-Encoding: gzip' -d x https://example.org/",
    'The header Content-Encoding cannot be sent',
  ],
  [
    "curl -H 'Transfer-Encoding: chunked' -d x https://example.org/",
    'The header Transfer-Encoding cannot be sent',
  ],
  ["curl -H 'Content-Length: 3' -d abcdef https://example.org/", 'it says 3, but the body has 6 bytes'],
  ["curl -H 'Content-Length:' -d x https://example.org/", 'The header Content-Length cannot be removed'],
  ["curl -H 'Expect: 100-continue' -d x https://example.org/", 'The header Expect cannot be sent'],
  [
    "curl -H 'Connection: Upgrade' -H 'Upgrade: websocket' https://example.org/",
    'The header Upgrade cannot be',
  ],
  ["curl -H 'TE: deflate' https://example.org/", 'The header TE cannot be sent'],
  ["curl -H 'Proxy-Authorization: Basic abc' https://example.org/", 'Proxy-Authorization cannot be sent'],
  ["curl -H 'X-Empty;' https://example.org/", 'The header X-Empty cannot be sent: it has no value'],
  ["curl -H 'X-Odd; value' https://example.org/", 'curl sends no header X-Odd'],
  ["curl -H 'X-Name: café' https://example.org/", 'The header X-Name cannot be sent: must be visible ASCII'],
  [`curl -H 'X-Long: ${'x'.repeat(4_001)}' https://example.org/`, 'The header X-Long cannot be sent'],
  ["curl -H 'Content-Type: json' -d x https://example.org/", 'The content type json cannot be sent'],
  ["curl -H 'Content-Type;' -d x https://example.org/", 'The content type  cannot be sent'],
  ["curl -H 'Content-Type: a/b' -H 'Content-Type: c/d' -d x https://example.org/", 'has 2 content types'],
  ['curl -X post https://example.org/', 'The method post is another than POST'],
  ['curl -X HEAD -d x https://example.org/', 'sends no body with HEAD'],
  ["curl 'https://example.org/a b'", 'a space or a control character'],
  ["curl -G -d 'q=a b' https://example.org/", 'Use --data-urlencode'],
  ['curl ftp.example.org', 'curl guesses another protocol'],
  ['curl https://me:%zz@example.org/', 'not UTF-8 with % in hexadecimal'],
  ['curl -m soon https://example.org/', '-m soon is no time in s'],
  ['curl https://example.org/ `\n  -H "x: y"', 'as in PowerShell'],
  [`curl https://example.org/ -d '${'x'.repeat(10_001)}'`, 'The body has 10001 characters'],
])('refuses %s', (command, problem) => {
  const draft = readCurl(command, createSecretFinder([]))
  expect(draft).toEqual({ problems: expect.arrayContaining([expect.stringContaining(problem)]) })
})

test.each([
  "curl -H 'Host: example.org' https://EXAMPLE.org/",
  "curl -H 'Host: Example.org' https://example.org/",
  "curl -H 'host: example.org:8443' https://example.org:8443/",
  "curl -H 'Host: xn--bcher-kva.example' https://bücher.example/",
  "curl -H 'Host: [2001:db8::1]' 'http://[2001:db8:0::1]/'",
  'curl --resolve -example.org:443 https://example.org/',
  'curl --connect-to example.org:443:example.org:443 https://example.org/',
  'curl --connect-to ::: https://example.org/',
  'curl --connect-to :::443 https://example.org/',
  'curl --resolve 203.0.113.9:443:203.0.113.9 https://203.0.113.9/',
])('takes %s, which names no other host or address than its URL', (command) => {
  const { check, warnings } = read(command)
  expect(check.request).toBeUndefined()
  expect(warnings).toEqual(['The check follows redirects; curl without -L does not.'])
})

test.each([
  ['--resolve other.example:443:203.0.113.9', 'https://example.org/'],
  ['--resolve example.org:80:203.0.113.9', 'https://example.org/'],
  ['--resolve example.org.:443:203.0.113.9', 'https://example.org/'],
  ['--resolve example.org:443:203.0.113.9', 'https://example.org./'],
  ['--resolve :443:203.0.113.9', 'https://example.org/'],
  ['--resolve [2001:db8::1]:443:203.0.113.9', 'https://[2001:db8::2]/'],
  ['--connect-to other.example:443:203.0.113.9:443', 'https://example.org/'],
  ['--connect-to *:443:203.0.113.9:443', 'https://example.org/'],
  ['--connect-to example.org:80:203.0.113.9:443', 'https://example.org/'],
  ['--connect-to example.org.:443:203.0.113.9:443', 'https://example.org/'],
  ['--connect-to 2001:db8::1:443:203.0.113.9:443', 'https://[2001:db8::1]/'],
  ['--connect-to example.org:443', 'https://example.org/'],
])('%s says nothing of %s, and is noted', (option, url) => {
  const { check, warnings } = read(`curl '${url}' ${option.replace(' ', " '")}'`)
  expect(check.request?.connectTo).toBeUndefined()
  expect(warnings).toContainEqual(
    expect.stringMatching(/^--[a-z-]+ \S+ is left out\. curl does not use it for /),
  )
  expect(warnings).toHaveLength(2)
})

const [pinA, pinB] = ['A', 'B'].map((letter) => `sha256//${letter.repeat(43)}=`)

test.each<[command: string, request: object]>([
  ["-H 'Host: www.example.com' http://203.0.113.9/", { hostHeader: 'www.example.com' }],
  ["-H 'host: www.example.com' https://example.org/", { hostHeader: 'www.example.com' }],
  ["-H 'Host: example.org:443' https://example.org/", { hostHeader: 'example.org:443' }],
  ["-H 'Host: example.org:8443' https://example.org/", { hostHeader: 'example.org:8443' }],
  ['--resolve example.org:443:203.0.113.9 https://example.org/', { connectTo: '203.0.113.9' }],
  ['--resolve EXAMPLE.org:443:[2001:db8::1] https://example.org/', { connectTo: '[2001:db8::1]' }],
  ['--resolve example.org:443:2001:db8::1 https://example.org/', { connectTo: '[2001:db8::1]' }],
  ["--resolve '*:8443:203.0.113.9' https://example.org:8443/", { connectTo: '203.0.113.9' }],
  ['--resolve [2001:db8::1]:443:203.0.113.9 https://[2001:db8::1]/', { connectTo: '203.0.113.9' }],
  [
    '-6 --resolve example.org:443:[2001:db8::1] https://example.org/',
    { connectTo: '[2001:db8::1]', addressFamily: 'ipv6' },
  ],
  ['--connect-to example.org:443:other.example:443 https://example.org/', { connectTo: 'other.example' }],
  ['--connect-to ::[2001:db8::1]:8443 https://example.org/', { connectTo: '[2001:db8::1]:8443' }],
  ['--connect-to ::bücher.example: https://example.org/', { connectTo: 'xn--bcher-kva.example' }],
  ['--connect-to :::8443 https://example.org/', { connectTo: 'example.org:8443' }],
  [
    '--connect-to ::origin.example:8443 --resolve origin.example:8443:203.0.113.9 https://example.org/',
    { connectTo: '203.0.113.9:8443' },
  ],
  ['https://example.org./a', { hostHeader: 'example.org.' }],
  [`--pinnedpubkey '${pinA};${pinB}' https://example.org/`, { pins: [pinA, pinB] }],
])('carries curl %s', (rest, request) => {
  expect(read(`curl ${rest}`)).toMatchObject({
    check: { request },
    warnings: ['The check follows redirects; curl without -L does not.'],
  })
})

test('notes what of its connection does not hold', () => {
  const { check, warnings } = read(
    `curl -L http://example.org/ -H 'Host: a.example' -H 'Host: b.example' --pinnedpubkey ${pinA} --pinnedpubkey ${pinB}`,
  )
  expect(check.request).toEqual({ hostHeader: 'a.example' })
  expect(warnings).toEqual([
    `--pinnedpubkey ${pinA} is left out. curl uses the last.`,
    '--pinnedpubkey is left out. There is no public key without https.',
    'The header Host b.example is left out. curl sends the first, a.example.',
    'A redirect to another scheme, host or port goes where its URL says, with the Host of its URL and any valid certificate.',
  ])
})

test('names every problem of a command at once', () => {
  const draft = readCurl('curl -k -F a=b --frob https://example.org/ -X FOO -u me', createSecretFinder([]))
  expect('problems' in draft && draft.problems).toHaveLength(5)
})

test('credentials become secrets of the host, and appear nowhere in the draft', () => {
  const { check, secrets, warnings } = read(
    `curl 'https://user:url-password@api.example.org:8443/a?access_token=in-the-url' -H 'X-Api-Key: key-value' -b 'sid=cookie-value' -H 'X-Plain: shown' --json '{"password":"body-value","client_secret":"key-value"}'`,
  )
  expect(check).toEqual({
    type: 'http',
    name: 'api.example.org:8443/a',
    url: 'https://api.example.org:8443/a?access_token=in-the-url',
    request: {
      method: 'POST',
      headers: [
        { name: 'X-Api-Key', value: '{{ secret.x_api_key }}' },
        { name: 'X-Plain', value: 'shown' },
        { name: 'Cookie', value: '{{ secret.cookie }}' },
        { name: 'Accept', value: 'application/json' },
      ],
      auth: { type: 'basic', username: 'user', password: '{{ secret.password }}' },
      body: '{"password":"{{ secret.password_2 }}","client_secret":"{{ secret.x_api_key }}"}',
      contentType: 'application/json',
    },
  })
  const hosts = ['api.example.org:8443']
  expect(secrets).toEqual([
    { name: 'password', hosts, value: 'url-password' },
    { name: 'x_api_key', hosts, value: 'key-value' },
    { name: 'cookie', hosts, value: 'sid=cookie-value' },
    { name: 'password_2', hosts, value: 'body-value' },
  ])
  expect(warnings).toEqual([
    'The check follows redirects; curl without -L does not.',
    expect.stringContaining('The URL contains access_token'),
  ])
})

test('a name that the account has already is not used again', () => {
  const secrets = createSecretFinder(['x_api_key', 'x_api_key_2'])
  readCurl("curl https://example.org/ -H 'X-Api-Key: abcdef'", secrets)
  expect(secrets.found.map(({ name }) => name)).toEqual(['x_api_key_3'])
})

test('a secret that is named already stays as it is', () => {
  const { check, secrets } = read("curl https://example.org/ -H 'X-Api-Key: {{ secret.shop }}'")
  expect(check.request?.headers).toEqual([{ name: 'X-Api-Key', value: '{{ secret.shop }}' }])
  expect(secrets).toEqual([])
})

test('says what of a command a check does not send', () => {
  const { check, warnings } = read(
    "curl https://example.org/ -A 'Mozilla/5.0 (X11)' -H 'DNT: 1' --connect-timeout 2 --location-trusted --cert client.pem --key client.key --tlsv1.2 -m 45 --http2 -6 --max-redirs 0",
  )
  expect(check).toMatchObject({
    timeoutSeconds: 30,
    request: { httpVersion: '2', addressFamily: 'ipv6', redirects: 'never' },
  })
  expect(warnings).toEqual([
    '--connect-timeout is left out. A check has one time for the whole answer: write it with -m.',
    '--location-trusted: a check sends its credentials to the host of its URL only.',
    '--cert is left out. A check reads no files: paste the certificate in the form, and store its key as a secret.',
    '--key is left out. A check reads no files: paste the certificate in the form, and store its key as a secret.',
    '--tlsv1.2 is left out. The probe chooses the version of TLS.',
    '-m 45: a check waits 30 s at most.',
    'Headers of the browser are left out: dnt.',
    'Headers that the probe sends in its own way, or not at all: user-agent.',
  ])
})

test.each([
  ['-L -X POST', true],
  ['-L --request PUT -d a', true],
  ['-L -d a', false],
  ['-L -X GET', false],
  ['-X POST', false],
  ['-L -X POST --max-redirs 0', false],
])(
  '%s: a method that curl repeats at a redirect is named, if the check may send another there',
  (options, isNamed) => {
    const { warnings } = read(`curl https://example.org/ ${options}`)
    expect(warnings.some((warning) => warning.startsWith('curl with -X repeats'))).toBe(isNamed)
  },
)

test('one bracket in a path is no range of URLs', () => {
  expect(readCurl('curl https://example.org/a[b', createSecretFinder([]))).toMatchObject({
    check: { url: 'https://example.org/a[b' },
  })
})
