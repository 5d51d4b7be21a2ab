import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** A page on its own origin that reports to a DSN with @sentry/browser. */
export type ShopPage = {
  url(dsn: string): string
  close(): Promise<void>
}

export const startShopPage = async (): Promise<ShopPage> => {
  const scripts = new Map([
    ['/sentry.js', await bundleSdk()],
    ['/shop.js', shopScript],
  ])
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop')
    const script = scripts.get(pathname)
    if (script !== undefined) {
      response.setHeader('content-type', 'text/javascript; charset=utf-8').end(script)
    } else if (pathname === '/') {
      const page = pageFor(searchParams.get('dsn') ?? '')
      response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
    } else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (dsn) => `http://127.0.0.1:${port}/?dsn=${encodeURIComponent(dsn)}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const bundleSdk = async (): Promise<string> => {
  const input = fileURLToPath(import.meta.resolve('@sentry/browser'))
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'iife', name: 'Sentry' })
  await bundle.close()
  return output[0].code
}

const pageFor = (dsn: string): string => `<!doctype html>
<html lang="en"><head><title>Shop</title>
<script src="/sentry.js"></script><script>const dsn = ${JSON.stringify(dsn)}</script>
<script src="/shop.js"></script></head>
<body><button id="buy">Buy</button></body></html>`

/** `sent` has the events that the SDK sends. */
const shopScript = `
const sent = []
Sentry.init({
  dsn,
  release: 'shop@3.0.0',
  environment: 'production',
  tracesSampleRate: 1,
  enableLogs: true,
  beforeSend: (event) => {
    sent.push(event)
    return event
  },
})
const later = (act) => setTimeout(act, 0)
function payFor(basket) {
  return basket.items.length
}
const shop = {
  buy: () => later(() => payFor({})),
  reserve: () => later(() => Promise.reject(new RangeError('nothing is left'))),
  attach: () =>
    Sentry.withScope((scope) => {
      scope.addAttachment({ filename: 'basket.json', data: '{"items":[1]}' })
      scope.setUser({ id: '17', email: 'someone@example.com' })
      scope.captureException(new Error('with an attachment'))
    }),
  complain: () => Sentry.captureFeedback({ message: 'it does not work' }),
  order: () => Sentry.startSpan({ name: 'order', op: 'ui.action' }, () => undefined),
  log: () => Sentry.logger.info('put in', { shop: 'berlin' }),
  fail: (text) => Sentry.captureException(new Error(text)),
  flush: () => Sentry.flush(10_000),
}
document.addEventListener('DOMContentLoaded', () => {
  document.querySelector('#buy').addEventListener('click', () => {
    console.info('buying')
    shop.buy()
  })
})
`
