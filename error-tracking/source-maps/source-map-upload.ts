import { errorPools } from '../contracts/error-pools.ts'
import { isRefusal, refuse, refuseInvalid } from '@probe-mesh/contracts/schema/refusal'
import { sourceMapLimits } from '../contracts/source-map.ts'
import { createFairPool, type FairPool } from '@probe-mesh/runtime/fair-pool'
import type { PoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { AccountContext } from '@probe-mesh/control-plane/src/accounts/operations/context'
import { assembleBundle } from './assemble-bundle.ts'
import { storeChunks, type SentChunk } from './store-chunks.ts'
import { callerOf, gateHook, type Gate } from '@probe-mesh/control-plane/src/http/gate'
import { NotJson, refusalOfError } from '@probe-mesh/control-plane/src/http/refusal-of-error'
import { sendJson } from '@probe-mesh/control-plane/src/http/send-json'
import { sendRefusal } from '@probe-mesh/control-plane/src/http/send-refusal'

/** Chunks with the overhead of the form. */
const chunksBytesMax = sourceMapLimits.chunksPerRequestMax * sourceMapLimits.chunkBytesMax + 64 * 1024
const jsonBytesMax = 64 * 1024
const retryAfterSeconds = 5
/** `sentry-cli` times out some seconds later. */
const waitMsMax = 10_000

const sha1 = z
  .string()
  .regex(/^[0-9a-f]{40}$/i)
  .transform((hex) => hex.toLowerCase())
/** The used fields of `sentry-cli`. */
const AssembleBody = z.object({
  checksum: sha1,
  chunks: z
    .array(sha1)
    .min(1)
    .max(Math.ceil(sourceMapLimits.bundleBytesMax / 1024)),
  projects: z.array(z.string().max(200)).max(10),
  version: z.string().max(200).nullish(),
})

/**
 * The routes for `sentry-cli sourcemaps upload` and the bundler plugins that run it: options, chunks, and one
 * request that assembles them. An API key is the token; the organization is ignored.
 */
export const bindSourceMapUpload = (
  app: FastifyInstance,
  context: Pick<AccountContext, 'sql' | 'now' | 'rules'>,
  gate: Gate,
  pools?: PoolMetrics,
): void => {
  const refuseOff = (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (context.rules.errorTracking === false) sendRefusal(reply, refuse('SV-3008'))
    else done()
  }
  const gated = (budget: 'reads' | 'writes') => [gateHook(gate, { scope: 'read_write', budget }), refuseOff]
  const [reading, writing] = [gated('reads'), gated('writes')]
  const storing = createFairPool(errorPools.errorMapChunks.bounds)
  const assembling = createFairPool(errorPools.errorMapUploads.bounds)
  pools?.watch('errorMapChunks', storing)
  pools?.watch('errorMapUploads', assembling)
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: jsonBytesMax },
      (_request, text, done) => {
        try {
          done(null, parseForeignJson(String(text)))
        } catch (error) {
          done(new NotJson(error))
        }
      },
    )
    scope.addContentTypeParser(
      'multipart/form-data',
      { parseAs: 'buffer', bodyLimit: chunksBytesMax },
      (_request, body, done) => done(null, body),
    )
    scope.setErrorHandler((error, request, reply) => {
      const { refusal } = refusalOfError(error)
      if (refusal.status !== 413) throw error
      return sendRefusal(reply, {
        ...refusal,
        message: `The body is larger than ${request.routeOptions.bodyLimit ?? jsonBytesMax} bytes.`,
      })
    })
    // `sentry-cli` shows a refusal's `detail` only with this content type
    scope.addHook('onSend', (_request, reply, payload, done) => {
      if (String(reply.getHeader('content-type')).startsWith('application/problem+json')) {
        reply.header('content-type', 'application/json; charset=utf-8')
      }
      done(null, payload)
    })
    const chunks = '/api/0/organizations/:org/chunk-upload/'
    scope.get(chunks, { onRequest: reading }, (request, reply) =>
      sendJson(reply, JSON.stringify(optionsOf(context.rules.publicUrl, request))),
    )
    scope.post(chunks, { onRequest: writing, bodyLimit: chunksBytesMax }, (request, reply) =>
      inTurn(storing, request, reply, () => receiveChunks(context, request, reply)),
    )
    scope.post(
      '/api/0/organizations/:org/artifactbundle/assemble/',
      { onRequest: writing, bodyLimit: jsonBytesMax },
      (request, reply) => inTurn(assembling, request, reply, () => assemble(context, request, reply)),
    )
  })
}

/** Accounts take turns, because uploads are held in memory. */
const inTurn = async (
  pool: FairPool,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> => {
  const place = await pool.take(callerOf(request).accountId, { waitMsMax })
  if (typeof place === 'string') {
    return sendRefusal(reply, refuse('SV-9002', { retryAfterSeconds }))
  }
  try {
    return await work()
  } finally {
    place.release()
  }
}

/** With an absolute URL, because some clients accept no relative one. */
const optionsOf = (publicUrl: string, request: FastifyRequest) => {
  const { org } = request.params as { org: string }
  const { chunkBytesMax, chunksPerRequestMax, bundleBytesMax } = sourceMapLimits
  return {
    url: `${publicUrl}/api/0/organizations/${encodeURIComponent(org)}/chunk-upload/`,
    chunkSize: chunkBytesMax,
    chunksPerRequest: chunksPerRequestMax,
    maxRequestSize: chunksPerRequestMax * chunkBytesMax,
    maxFileSize: bundleBytesMax,
    concurrency: 1,
    hashAlgorithm: 'sha1',
    compression: ['gzip'],
    accept: ['artifact_bundles', 'artifact_bundles_v2'],
  }
}

const receiveChunks = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const sent = await chunksOf(request)
  if (sent === null) {
    return sendRefusal(reply, refuse('SV-2101', { message: 'Send chunks as files in multipart/form-data.' }))
  }
  const refusal = await storeChunks(context, callerOf(request).accountId, sent)
  return refusal === null ? sendJson(reply, '{}') : sendRefusal(reply, refusal)
}

/** The files of a form; null for an invalid form. `chunksBytesMax` limits its memory. */
const chunksOf = async (request: FastifyRequest): Promise<SentChunk[] | null> => {
  if (!(request.body instanceof Uint8Array)) return null
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  try {
    const form = await new Response(new Uint8Array(request.body), { headers }).formData()
    const sent: SentChunk[] = []
    for (const [field, value] of form) {
      if (typeof value === 'string') return null
      const bytes = new Uint8Array(await value.arrayBuffer())
      sent.push({ name: value.name, bytes, isPacked: field === 'file_gzip' })
    }
    return sent
  } catch {
    return null
  }
}

const assemble = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const parsed = AssembleBody.safeParse(request.body)
  if (!parsed.success) return sendRefusal(reply, refuseInvalid([parsed.error]))
  const { version, ...body } = parsed.data
  const input = { ...body, release: version?.replaceAll('\0', '').toWellFormed() ?? null }
  const assembled = await assembleBundle(context, callerOf(request), input)
  if (isRefusal(assembled)) return sendRefusal(reply, assembled)
  return 'missing' in assembled
    ? sendJson(reply, JSON.stringify({ state: 'not_found', missingChunks: assembled.missing }))
    : sendJson(reply, JSON.stringify({ state: 'ok', missingChunks: [], detail: null }))
}
