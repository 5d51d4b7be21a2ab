import { holds, of, ok, type Case, type CaseClass, type Plays } from './case.ts'

const moved = (location: string, status = 302, more = ''): string =>
  `HTTP/1.1 ${status} Moved\r\nConnection: close\r\nLocation: ${location}\r\n${more}Content-Length: 0\r\n\r\n`
const to = (first: string, end = '/end'): Record<string, string> => ({ '/': first, [end]: ok })

const codes = of('RFC 9110 15.4: statuses that redirect')
const location = of('RFC 9110 10.2.2, RFC 3986 5: a Location is a URL reference')

const statuses: CaseClass = {
  name: 'redirects: statuses',
  cases: [
    ...[301, 302, 303, 307, 308].map((status) => codes(String(status), to(moved('/end', status)))),
    ...[200, 201, 404, 500].map((status) => codes(`a Location with ${status}`, to(moved('/end', status)))),
    codes('300 with a Location', to(moved('/end', 300))),
    codes('304 with a Location', to(moved('/end', 304))),
    codes('302 without a Location', to('HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nok')),
    codes('302 with an empty Location', to(moved(''))),
    codes('302 with a body', to(moved('/end').replace('0\r\n\r\n', '2\r\n\r\nok'))),
    codes('302 with an endless body', {
      '/': moved('/end').replace('0\r\n\r\n', '9\r\n\r\nok'),
      '/end': ok,
    }),
    codes('302 whose connection stays open', (socket, { path }) => {
      if (path === '/') socket.write(moved('/end').replace('close', 'keep-alive'))
      else socket.end(ok)
    }),
    codes('302 of HTTP/1.0', to('HTTP/1.0 302 Found\r\nLocation: /end\r\n\r\n')),
    codes('302 of LF alone', to('HTTP/1.1 302 Found\nLocation: /end\nContent-Length: 0\n\n')),
    codes('302 with two equal lengths', to(moved('/end', 302, 'Content-Length: 0\r\n'))),
    codes('302 with a header of 20 KiB', to(moved('/end', 302, `X-A: ${'v'.repeat(20_480)}\r\n`))),
  ],
}

const locations: CaseClass = {
  name: 'redirects: forms of Location',
  cases: [
    location('a path', to(moved('/end'))),
    location('a relative path', to(moved('end'))),
    location('dots', to(moved('/a/../end'))),
    location('only a query', { '/': moved('?a=b') }),
    location('without a scheme', (socket, { path, head }) => {
      const host = /^host: (.*)\r$/im.exec(head)?.[1] ?? ''
      socket.end(path === '/' ? moved(`//${host}/end`) : ok)
    }),
    location('with a fragment', to(moved('/end#part'))),
    location('a space inside', to(moved('/e nd'), '/e%20nd')),
    location('a space after', to(moved('/end '))),
    location('a tab inside', to(moved('/e\tnd'))),
    location('a backslash', to(moved('\\end'))),
    location('UTF-8', { '/': moved('/\xc3\xbc'), '/%C3%BC': ok, '/\xc3\xbc': ok }),
    location('capitals in the scheme', (socket, { path, head }) => {
      const host = /^host: (.*)\r$/im.exec(head)?.[1] ?? ''
      socket.end(path === '/' ? moved(`HTTP://${host}/end`) : ok)
    }),
    location('a user and password', (socket, { path, head }) => {
      const host = /^host: (.*)\r$/im.exec(head)?.[1] ?? ''
      socket.end(path === '/' ? moved(`http://user:secret@${host}/end`) : ok)
    }),
    location('two equal', to(moved('/end', 302, 'Location: /end\r\n'))),
    location('two different values', to(moved('/end', 302, 'Location: /other\r\n'))),
    location('4,000 characters', to(moved(`/${'a'.repeat(4_000)}`), `/${'a'.repeat(4_000)}`)),
    location('folded', to(moved('\r\n /end'))),
    location('no host', to(moved('http:///end/'))),
    location('a name of a subdomain', (socket, { path, head }) => {
      const host = /^host: (.*)\r$/im.exec(head)?.[1] ?? ''
      socket.end(path === '/' ? moved(`http://www.${host}/end`) : ok)
    }),
    location('only a percent sign', to(moved('/100%'), '/100%')),
  ],
}

const chain = of('WHATWG Fetch, HTTP-redirect fetch: at most 20 redirects')
const blackbox = of('RFC 6265 3: cookies are set by any response', 'prometheus/blackbox_exporter#1332')
const counting =
  (hops: number): Plays =>
  (socket, { path }) => {
    const at = path === '/' ? 0 : Number(path.slice(1))
    socket.end(at >= hops ? ok : moved(`/${at + 1}`))
  }
const once =
  (set: string, hasCookie: RegExp): Plays =>
  (socket, { cookie }) => {
    socket.end(hasCookie.test(cookie) ? ok : moved('/', 302, set))
  }
const setting = (name: string, set: string, has: RegExp): Case => cookie(name, once(`${set}\r\n`, has))
const cookie = of('RFC 6265 5: stored and sent cookies')
const toPath =
  (set: string, path: string, isRight: (cookie: string) => boolean): Plays =>
  (socket, request) => {
    if (request.path === '/') socket.end(moved(path, 302, `${set}\r\n`))
    else socket.end(isRight(request.cookie) ? ok : 'HTTP/1.1 500 Wrong cookies\r\nContent-Length: 0\r\n\r\n')
  }

const chains: CaseClass = {
  name: 'redirects: chains',
  cases: [
    ...[1, 3, 4, 5, 10, 19, 20, 21, 49].map((hops) => chain(`${hops} redirects`, counting(hops))),
    chain('a loop of one', { '/': moved('/') }),
    chain('a loop of two', { '/': moved('/b'), '/b': moved('/') }),
    chain('a loop that grows', (socket, { path }) => void socket.end(moved(`${path}a`))),
    chain('a chain that ends in 404', { '/': moved('/none') }),
    chain('a chain that ends in 500', {
      '/': moved('/b'),
      '/b': 'HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n',
    }),
    chain('a chain that ends in a close', { '/': moved('/b'), '/b': '' }),
    chain('a chain whose end stays open', (socket, request) => {
      if (request.path === '/') socket.end(moved('/b'))
      else holds(ok)(socket, request)
    }),
  ],
}

const jars: CaseClass = {
  name: 'redirects: cookies',
  cases: [
    blackbox('set, and a redirect to itself', once('Set-Cookie: seen=yes\r\n', /seen=yes/)),
    blackbox(
      'set with a path, and a redirect to itself',
      once('Set-Cookie: seen=yes; Path=/\r\n', /seen=yes/),
    ),
    setting('HttpOnly', 'Set-Cookie: a=1; HttpOnly', /a=1/),
    setting('SameSite=Lax', 'Set-Cookie: a=1; SameSite=Lax', /a=1/),
    setting('SameSite=Strict', 'Set-Cookie: a=1; SameSite=Strict', /a=1/),
    setting('a Max-Age', 'Set-Cookie: a=1; Max-Age=60', /a=1/),
    setting('an Expires', 'Set-Cookie: a=1; Expires=Fri, 31 Dec 2099 23:59:59 GMT', /a=1/),
    setting('two', 'Set-Cookie: a=1\r\nSet-Cookie: b=2', /a=1; b=2/),
    setting('a Domain of another site: a loop', 'Set-Cookie: a=1; Domain=com', /a=1/),
    setting('an empty value', 'Set-Cookie: a=', /a=(?:;|$)/),
    setting('quotes', 'Set-Cookie: a="1"', /a="1"/),
    setting('an equals sign in the value', 'Set-Cookie: a=b=c', /a=b=c/),
    setting('4,000 bytes', `Set-Cookie: a=${'v'.repeat(4_000)}`, /a=v{4000}/),
    setting('lower case', 'set-cookie: a=1', /a=1/),
    setting('never sent back: a loop', 'Set-Cookie: a=1; Domain=other.example.net', /a=1/),
    setting('expired at once: a loop', 'Set-Cookie: a=1; Max-Age=0', /a=1/),
    setting('Secure over http: a loop', 'Set-Cookie: __Secure-a=1; Secure', /a=1/),
    cookie(
      'of another path is not sent',
      toPath('Set-Cookie: a=1; Path=/other', '/end', (sent) => sent === ''),
    ),
    cookie(
      'of the path is sent',
      toPath('Set-Cookie: a=1; Path=/end', '/end', (sent) => sent === 'a=1'),
    ),
    cookie('deleted during the redirects', (socket, { path, cookie: sent }) => {
      if (path === '/') socket.end(moved('/b', 302, 'Set-Cookie: a=1; Path=/\r\n'))
      else if (path === '/b') socket.end(moved('/c', 302, 'Set-Cookie: a=1; Path=/; Max-Age=0\r\n'))
      else socket.end(sent === '' ? ok : 'HTTP/1.1 500 Wrong\r\nContent-Length: 0\r\n\r\n')
    }),
  ],
}

const away = of('WHATWG Fetch: redirects lead to http and https only')
const ways: CaseClass = {
  name: 'redirects: unreachable destinations',
  cases: [
    away('file', { '/': moved('file:///etc/passwd') }),
    away('ftp', { '/': moved('ftp://c0.example.com/') }),
    away('javascript', { '/': moved('javascript:alert(1)') }),
    away('data', { '/': moved('data:text/html,hello') }),
    away('about', { '/': moved('about:blank') }),
    away('an unknown scheme', { '/': moved('pigeon://c0.example.com/') }),
    away('an impossible port', { '/': moved('http://c0.example.com:99999/') }),
    away('half an IPv6 address', { '/': moved('http://[') }),
    away('a name that does not exist', { '/': moved('http://nowhere.invalid/') }),
    away('a closed port', { '/': moved('http://c0.example.com:1/') }),
    away('https on a port without TLS', (socket, { path, head }) => {
      const host = /^host: (.*)\r$/im.exec(head)?.[1] ?? ''
      socket.end(path === '/' ? moved(`https://${host}/`) : ok)
    }),
    away('mailto', { '/': moved('mailto:a@example.com') }),
  ],
}

export const redirects: readonly CaseClass[] = [statuses, locations, chains, jars, ways]
