import { startSite, type ForbiddenHost, type Site } from './site.ts'

const page = (body: string, head = '') =>
  `<!doctype html><title>The shop</title><link rel="icon" href="data:,">${head}<body>${body}`
const lateText = `<h1>Open</h1><script>setTimeout(() => {
  document.body.append('come in')
  document.title = 'The shop is open'
}, 200)</script>`
/** Noise, so that every screenshot of it is large. */
const noise = `<canvas width=1280 height=720></canvas><script>
  const context = document.querySelector('canvas').getContext('2d')
  const image = context.createImageData(1280, 720)
  for (let n = 0; n < image.data.length; n += 4) {
    image.data[n] = Math.random() * 256
    image.data[n + 1] = Math.random() * 256
    image.data[n + 2] = Math.random() * 256
    image.data[n + 3] = 255
  }
  context.putImageData(image, 0, 0)
</script>`

/** Pages of every kind; some try to reach a forbidden host. */
export const startPages = ({ host, port }: ForbiddenHost): Promise<Site> => {
  const refused = `${host}:${port}`
  return startSite({
    '/': page('<h1>Welcome to the shop</h1><p hidden>secret</p>'),
    '/late': page(lateText),
    '/errors': page('<h1>Hm</h1><script>console.error("one"); throw new Error("two")</script>'),
    '/warns': page('<h1>Hm</h1><script>console.warn("one"); console.log("two")</script>'),
    '/noise': page(noise),
    '/empty': page(''),
    '/no-icon': `<title>The shop</title>${lateText}`,
    '/no-picture': page('<h1>Welcome</h1><img src="/missing">'),
    '/503': (response) => response.writeHead(503).end('<h1>out of order</h1>'),
    '/503-empty': (response) => response.writeHead(503).end(),
    '/403': (response) => response.writeHead(403).end('<h1>go away</h1>'),
    '/401': (response) =>
      response.writeHead(401, { 'www-authenticate': 'Basic realm="shop"' }).end('who are you'),
    '/challenge': (response) =>
      response.writeHead(403, { 'cf-mitigated': 'challenge' }).end('<title>Just a moment</title>'),
    '/challenge-page': (response) =>
      response
        .writeHead(403, { 'content-type': 'text/html' })
        .end('<script>window._cf_chl_opt = {}</script>wait'),
    '/challenge-200': (response) =>
      response
        .writeHead(200, { 'content-type': 'text/html', 'cf-mitigated': 'challenge' })
        .end(page('<h1>Welcome</h1>')),
    '/download': (response) =>
      response
        .writeHead(200, { 'content-disposition': 'attachment; filename=a.bin' })
        .end(Buffer.alloc(1_000)),
    '/hop': (response) => response.writeHead(302, { location: '/' }).end(),
    '/away': (response) => response.writeHead(302, { location: `http://${refused}/` }).end(),
    '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
    '/reset': (_response, request) => request.socket.resetAndDestroy(),
    '/no-answer': () => undefined,
    '/hangs': (response) =>
      void response
        .setHeader('content-type', 'text/html')
        .write(page('<h1>Nearly</h1><img src="/no-answer">')),
    '/busy': page('<h1>Busy</h1><script>for (;;);</script>'),
    '/goes-away': page(`<script>location = 'http://${refused}/'</script>`),
    '/goes-on': page(`<script>location = '/'</script>`),
    '/reaches-out': page(`<h1>Welcome</h1>
      <iframe src="http://${refused}/frame"></iframe>
      <img src="http://${refused}/picture"><img src="http://[::1]:${port}/">
      <img src="http://169.254.169.254/latest/meta-data/"><link rel="preconnect" href="http://${refused}/">
      <link rel="dns-prefetch" href="//internal.example.com">
      <script>
        const quietly = (work) => { try { Promise.resolve(work()).catch(() => {}) } catch {} }
        quietly(() => fetch('http://${refused}/fetched', { mode: 'no-cors' }))
        quietly(() => fetch('https://${refused}/fetched', { mode: 'no-cors' }))
        quietly(() => navigator.sendBeacon('http://${refused}/beacon', 'x'))
        quietly(() => new WebSocket('ws://${refused}/socket'))
        quietly(() => new EventSource('http://${refused}/events'))
        quietly(() => new Worker(URL.createObjectURL(new Blob(['fetch("http://${refused}/worker", { mode: "no-cors" })']))))
        quietly(() => window.open('http://${refused}/popup'))
        quietly(() => new WebTransport('https://${refused}/transport').ready)
        quietly(async () => {
          const peer = new RTCPeerConnection({ iceServers: [
            { urls: 'stun:${refused}' },
            { urls: 'turn:${refused}?transport=udp', username: 'a', credential: 'b' },
            { urls: 'turn:${refused}?transport=tcp', username: 'a', credential: 'b' },
          ] })
          peer.createDataChannel('x')
          await peer.setLocalDescription(await peer.createOffer())
        })
        setTimeout(() => document.body.append('all tried'), 3000)
      </script>`),
    '/cookie': (response, request) =>
      response
        .setHeader('set-cookie', 'seen=yes')
        .setHeader('content-type', 'text/html')
        .end(page(request.headers.cookie === undefined ? 'a stranger' : 'a friend')),
  })
}
