import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')
const pathsIn = (text: string, form: RegExp) => [...text.matchAll(form)].map(([, path]) => path)

/**
 * `/readyz` shows whether a process can serve requests, `/healthz` whether it is alive: a restart repairs no
 * database, and a process without one still answers.
 */
test('uses /readyz to route requests and /healthz to restart processes', async () => {
  const haproxy = await read('compose/haproxy/haproxy.cfg')
  expect(pathsIn(haproxy, /(?:httpchk|meth) GET (?:uri )?(\/\S+)/g)).toEqual(['/readyz', '/readyz'])
  const modules = await read('./terraform/control-plane/main.tf')
  expect(pathsIn(modules, /health_check \{[^}]*path += "([^"]+)"/g)).toEqual(['/readyz'])
  for (const part of ['control-plane', 'mcp-gateway', 'agents']) {
    const chart = await read(`helm/probe-mesh/templates/${part}.yaml`)
    expect(pathsIn(chart, /readinessProbe: \{ httpGet: \{ path: ([^,]+)/g)).toEqual(['/readyz'])
    expect(pathsIn(chart, /(?:startup|liveness)Probe: \{ httpGet: \{ path: ([^,]+)/g)).toEqual([
      '/healthz',
      '/healthz',
    ])
  }
  // health checks of Compose and of the images
  expect(pathsIn(await read('docker/healthcheck.mjs'), /\$\{port\}(\/\w+)/g)).toEqual(['/healthz'])
  const compose = await read('compose/compose.yaml')
  expect(compose).toMatch(/&node-health\n +test: \['CMD', 'node', '\S+healthcheck\.mjs'\]/)
})
