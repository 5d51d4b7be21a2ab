// Checks that the process of this container is alive, at the address in its environment. Plain JavaScript
// without imports of ours, so that it starts fast.
const { HOST, PORT, MCP_PORT, TLS_CERT } = process.env
const port = MCP_PORT ?? PORT ?? (process.env.REGION === undefined ? '8080' : '9464')
const host = HOST === undefined || HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST
const scheme = TLS_CERT === undefined ? 'http' : 'https'
try {
  const answer = await fetch(`${scheme}://${host}:${port}/healthz`, {
    signal: AbortSignal.timeout(4_000),
  })
  if (!answer.ok) throw new Error(`it answers ${answer.status}`)
} catch (error) {
  console.error(String(error.cause ?? error))
  process.exitCode = 1
}
