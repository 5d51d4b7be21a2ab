import { execFileSync, execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fastify from 'fastify'
import { test } from 'vitest'
import { startTestApp } from './testing.ts'
const run = promisify(execFile)
test('perf', async () => {
  const at = await startTestApp({ config: { budgetScale: 100_000 } })
  const { writeKey } = await at.account('scale')
  const { json } = await at.call('POST', '/v1/checks', { key: writeKey, body: { name: 'web', url: 'https://example.org/' } })
  const a = await at.app.listen({ port: 0, host: '127.0.0.1' })
  const text = (await at.call('GET', `/v1/checks/${json.id}`, { key: writeKey })).text
  const base = fastify({ logger: false })
  base.get('/x', (_r, reply) => { reply.header('content-type', 'application/json; charset=utf-8').send(text) })
  const b = await base.listen({ port: 0, host: '127.0.0.1' })
  const shoot = async (url: string) => {
    const c0 = process.cpuUsage()
    const { stdout } = await run('node', ['node_modules/autocannon/autocannon.js', '-j', '-c', '32', '-d', '3', '-H', `authorization=Bearer ${writeKey}`, url], { maxBuffer: 1e7 })
    const c = process.cpuUsage(c0)
    const r = JSON.parse(stdout)
    return [Math.round(r.requests.average), ((c.user + c.system) / r.requests.total).toFixed(1), r.non2xx]
  }
  for (let i = 0; i < 3; i++) {
    console.log('base', await shoot(`${b}/x`))
    console.log('get', await shoot(`${a}/v1/checks/${json.id}`))
  }
  await base.close()
  await at.close()
}, 60_000)
