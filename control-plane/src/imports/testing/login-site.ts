import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The account of the site. */
export const siteUser = { user: 'ada', password: 'correct horse battery' } as const
export const siteKey = 'shop-key-4711'

/** A site with a login by cookies and an API behind a key, as tests record and check it. */
export type LoginSite = {
  origin: string
  /** `GET /login 200` of each answer. */
  readonly answers: readonly string[]
  close(): Promise<void>
}

/** @param options.withToken the form has a token that its page gives, anew for each session */
export const startLoginSite = async ({ withToken = false } = {}): Promise<LoginSite> => {
  const tokens = new Set<string>()
  const sessions = new Set<string>()
  const answers: string[] = []
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request)
    const path = new URL(request.url ?? '/', 'http://site').pathname
    const isLoggedIn = [...sessions].some((id) => request.headers.cookie?.includes(`sid=${id}`))
    const answer = (status: number, type: string, text: string, more: Record<string, string> = {}): void => {
      answers.push(`${request.method} ${path} ${status}`)
      response.writeHead(status, { 'content-type': type, ...more }).end(text)
    }
    const page = (status: number, text: string): void =>
      answer(status, 'text/html; charset=utf-8', `<!doctype html><title>Shop</title>${text}`)
    const json = (status: number, value: unknown): void =>
      answer(status, 'application/json', JSON.stringify(value))
    switch (`${request.method} ${path}`) {
      case 'GET /login': {
        const token = createHash('sha256').update(randomUUID()).digest('base64')
        tokens.add(token)
        const field = withToken
          ? `<input type="hidden" name="csrf_token" value="${token.replaceAll('+', '&#43;')}">`
          : ''
        return page(
          200,
          `<link rel="stylesheet" href="/site.css"><script src="/site.js" defer></script><img src="/logo.svg" alt="">
          <form method="post" action="/login">${field}<input name="user"><input name="password" type="password"><button>Log in</button></form>`,
        )
      }
      case 'POST /login': {
        const form = new URLSearchParams(body)
        if (withToken && !tokens.delete(form.get('csrf_token') ?? ''))
          return page(403, 'The form is too old.')
        if (form.get('user') !== siteUser.user || form.get('password') !== siteUser.password)
          return page(401, 'Wrong name or password.')
        const id = randomUUID()
        sessions.add(id)
        return answer(303, 'text/plain', '', {
          location: '/account',
          'set-cookie': `sid=${id}; HttpOnly; Path=/`,
        })
      }
      case 'GET /account':
        return isLoggedIn
          ? page(200, `<h1>Hello Ada</h1><script src="/site.js"></script>`)
          : answer(303, 'text/plain', '', { location: '/login' })
      case 'GET /api/me':
        return isLoggedIn ? json(200, { name: 'Ada', orders: 3 }) : json(401, { error: 'not logged in' })
      case 'POST /api/search': {
        const isAllowed = request.headers['x-api-key'] === siteKey
        return isAllowed ? json(200, { found: JSON.parse(body) }) : json(403, { error: 'wrong key' })
      }
      case 'GET /api/orders/42':
        return request.headers['x-api-key'] === siteKey
          ? json(200, { id: 42, state: 'sent' })
          : json(403, { error: 'wrong key' })
      case 'GET /site.css':
        return answer(200, 'text/css', 'body { font: 1em sans-serif }')
      case 'GET /site.js':
        return answer(
          200,
          'text/javascript',
          `if (location.pathname === '/account') fetch('/api/me', { headers: { 'x-requested-with': 'shop' } }).then((answer) => answer.json()).then(({ orders }) => { document.title = orders + ' orders' })`,
        )
      case 'GET /logo.svg':
        return answer(200, 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>')
      default:
        return page(404, 'Not found')
    }
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
