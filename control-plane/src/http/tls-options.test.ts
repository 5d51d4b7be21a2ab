import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import fastify, { type FastifyInstance } from 'fastify'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tlsOptions, type Certificate } from './tls-options.ts'

const folder = testFolder('tls-options-')
let certificate: Certificate
let app: FastifyInstance
let port: number
beforeAll(async () => {
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const whose = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...whose, ...files])
  certificate = {
    cert: await readFile(join(folder, 'cert.pem')),
    key: await readFile(join(folder, 'key.pem')),
  }
  app = fastify({ requestTimeout: 1_234, ...tlsOptions(certificate) })
  app.get('/', (asked) => ({ protocol: asked.protocol }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
afterAll(async () => {
  await app?.close()
})

const ask = (trusted: Buffer | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        agent: false,
        ...(trusted === undefined ? {} : { ca: trusted }),
      },
      (answer) => {
        let body = ''
        answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
        answer.on('end', () => resolve(body))
      },
    )
    asked.on('error', reject)
    asked.end()
  })

test('a client that trusts the certificate is answered over TLS, with the same limits', async () => {
  expect(JSON.parse(await ask(certificate.cert))).toEqual({ protocol: 'https' })
  expect(app.server.requestTimeout).toBe(1_234)
})

test('a client without trust, without TLS or with an old version is refused', async () => {
  await expect(ask(undefined)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
  const old = connect({
    port,
    host: '127.0.0.1',
    ca: certificate.cert,
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
  })
  await expect(new Promise((_, reject) => old.on('error', reject))).rejects.toThrow()
})

test('without a certificate the server has no TLS', () => {
  expect(tlsOptions(null)).toEqual({})
})
