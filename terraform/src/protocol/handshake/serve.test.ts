import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { frame } from '../wire/server.ts'
import { createClient } from '../wire/testing.ts'
import { createCertificate } from './certificate.ts'

const provider = fileURLToPath(new URL('testing/provider.ts', import.meta.url))
const invited = {
  TF_PLUGIN_MAGIC_COOKIE: 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2',
  PLUGIN_PROTOCOL_VERSIONS: '5,6',
}
const shutdown = '/plugin.GRPCController/Shutdown'

const children: ChildProcess[] = []
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')))

const start = (env: Record<string, string>, command = [process.execPath, provider]) => {
  const [binary = '', ...flags] = command
  const child = spawn(binary, flags, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += String(chunk)))
  const closed = once(child, 'close')
  return {
    child,
    said,
    ended: async () => {
      const [code] = (await closed) as [number | null]
      return { code, ...said }
    },
    line: async () => {
      await vi.waitFor(() => expect(said.stdout).toContain('\n'))
      return said.stdout.trimEnd().split('|')
    },
  }
}

test('answers calls over mutual TLS, and removes its folder at shutdown', async () => {
  const own = createCertificate(new Date())
  const { child, line, ended } = start({ ...invited, PLUGIN_CLIENT_CERT: own.pem, TF_LOG: 'info' })
  const [core, version, network, socket = '', protocol, der = ''] = await line()
  expect([core, version, network, protocol]).toEqual(['1', '6', 'unix', 'grpc'])
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700)

  const ca = `-----BEGIN CERTIFICATE-----\n${der}${'='.repeat(-der.length & 3)}\n-----END CERTIFICATE-----\n`
  const stranger = createCertificate(new Date())
  const refused = createClient(socket, { ca, cert: stranger.pem, key: stranger.privateKey })
  await expect(refused.send(shutdown, frame(Buffer.of()))).rejects.toThrow()
  expect(child.exitCode).toBeNull()

  const client = createClient(socket, { ca, cert: own.pem, key: own.privateKey })
  const { resourceSchemas } = await client.call('getProviderSchema', {})
  expect(Object.keys(resourceSchemas ?? {})).toEqual(['example_thing'])
  expect(await client.send(shutdown, frame(Buffer.of()))).toMatchObject({ status: 0 })
  const { code, stdout, stderr } = await ended()
  expect(code).toBe(0)
  expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  expect(JSON.parse(stderr)).toMatchObject({ '@message': 'the schema was asked for' })
  expect(existsSync(dirname(socket))).toBe(false)
})

test('speaks plain text without a certificate, ignores SIGINT and ends on SIGTERM', async () => {
  const { child, line, ended } = start(invited)
  const [, , , socket = '', , ...rest] = await line()
  expect(rest).toEqual([])
  const client = createClient(socket, null)
  child.kill('SIGINT')
  expect(await client.send('/x/Y', frame(Buffer.of()))).toMatchObject({ status: 12 })
  child.kill('SIGTERM')
  await expect(ended()).resolves.toMatchObject({ code: 0 })
  expect(existsSync(dirname(socket))).toBe(false)
})

test('ends when its parent ends', async () => {
  const script = `${process.execPath} ${provider} & wait`
  const { child, said, line } = start(invited, ['sh', '-c', script])
  const [, , , socket = ''] = await line()
  expect(said.stderr).toBe('')
  child.kill('SIGKILL')
  await vi.waitFor(() => expect(existsSync(dirname(socket))).toBe(false))
})

test.each([
  ['by hand', {}, { code: 1, stdout: '', stderr: expect.stringContaining('dev_overrides') }],
  [
    'by a Terraform that is too old',
    { ...invited, PLUGIN_PROTOCOL_VERSIONS: '4,5' },
    {
      code: 1,
      stdout: expect.stringMatching(/^terraform-provider-example needs .+\n$/),
      stderr: '',
    },
  ],
])('started %s it prints why it ends', async (_how, env, expected) => {
  await expect(start(env).ended()).resolves.toEqual(expected)
})
