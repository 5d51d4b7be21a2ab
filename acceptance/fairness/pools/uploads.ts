import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { errorPools } from '@probe-mesh/error-tracking/contracts/error-pools'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { bindSourceMapUpload } from '@probe-mesh/error-tracking/source-maps/source-map-upload'
import fastify from 'fastify'
import { onTestFinished } from 'vitest'
import type { FairnessCase } from './case.ts'
import { settleLoop, turnsCase, type Opened } from './turns.ts'

const sha1OfX = createHash('sha1').update('x').digest('hex')
const prefix = '/api/0/organizations/any'
const requests = {
  errorMapChunks: {
    url: `${prefix}/chunk-upload/`,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    payload: `--b\r\nContent-Disposition: form-data; name="file"; filename="${sha1OfX}"\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n--b--\r\n`,
  },
  errorMapUploads: {
    url: `${prefix}/artifactbundle/assemble/`,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({
      checksum: '0'.repeat(40),
      chunks: ['0'.repeat(40)],
      projects: ['p'],
    }),
  },
}

/** Opens the routes on a Postgres that holds each transaction until its work ends. */
const openUploads = (name: keyof typeof requests) => (): Opened => {
  const holds = new AsyncLocalStorage<() => Promise<void>>()
  const app = fastify()
  app.decorateRequest('caller', null)
  app.decorateRequest('gatewayClient', null)
  app.setErrorHandler((_error, _request, reply) => reply.status(500).send('the work has ended'))
  const sql = {
    begin: async () => {
      await holds.getStore()?.()
      throw new Error('the work has ended')
    },
  }
  const gate = {
    keys: {
      recall: (accountId: string) => ({
        accountId,
        tier: 'scale',
        scope: 'read_write',
        keyId: 'key',
        keyName: 'key',
      }),
    },
    budgets: { spend: () => ({ allowed: true, policy: '', rateLimit: '', retryAfterSeconds: 1 }) },
    tiers: tiersDefault,
  }
  const context = { sql, now: Date.now, rules: {} }
  bindSourceMapUpload(app, context as never, gate as never)
  onTestFinished(() => app.close())
  return {
    perform: (owner, hold) =>
      holds.run(hold, async () => {
        const { headers, ...request } = requests[name]
        const answer = await app.inject({
          method: 'POST',
          ...request,
          headers: { ...headers, authorization: owner },
        })
        return answer.json<{ code: string }>().code
      }),
    settle: async () => {
      for (let turn = 0; turn < 5; turn += 1) await settleLoop()
    },
  }
}

const uploadsCase = (name: keyof typeof requests): FairnessCase => {
  const pool = errorPools[name]
  return turnsCase({
    pool,
    crowds: [2, pool.bounds.waiting - 1],
    open: openUploads(name),
    isTimeReal: true,
    refused: 'SV-9002',
  })
}

export const uploadCases = {
  errorMapChunks: uploadsCase('errorMapChunks'),
  errorMapUploads: uploadsCase('errorMapUploads'),
} satisfies Partial<Record<keyof typeof errorPools, FairnessCase>>
