import { createHash } from 'node:crypto'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { sourceMapLimits } from '../contracts/source-map.ts'
import { lockAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { insertAudit, type Actor } from '@probe-mesh/control-plane/src/accounts/operations/audit-store'
import type { Sql, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { findErrorProjects } from '../projects/error-projects-store.ts'
import { findSourceMapUse, insertSourceMap } from './error-source-maps-store.ts'
import { deleteChunks, findChunk, findChunkSizes } from './error-upload-chunks-store.ts'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import { readBundle, type BundleMap } from './read-bundle.ts'

type AssembleInput = {
  /** The SHA-1 of the bundle, 40 lower-case hexadecimal digits. */
  checksum: string
  /** The SHA-1 of each chunk, in order. */
  chunks: readonly string[]
  /** Numbers, ids or names of projects. */
  projects: readonly string[]
  release: string | null
}

type Assembled = { missing: string[] } | { uploadId: string; maps: number }

type Writer = { accountId: string; actor: Actor }

/**
 * Assembles an upload from its chunks and stores its source maps for each project, in one transaction with
 * the audit entries. Returns the missing chunks if there are any.
 */
export const assembleBundle = async (
  context: { sql: Sql; now: () => number },
  writer: Writer,
  input: AssembleInput,
): Promise<Assembled | Refusal> => {
  const { accountId } = writer
  const { sql } = context
  const { bundleBytesMax } = sourceMapLimits
  const projectIds = await findProjectIds(sql, accountId, input.projects)
  if (isRefusal(projectIds)) return projectIds
  const sizes = await inAccount(sql, accountId, (tx) => findChunkSizes(tx, accountId, input.chunks))
  const missing = [...new Set(input.chunks)].filter((sha1) => !sizes.has(sha1))
  if (missing.length > 0) return { missing }
  const size = input.chunks.reduce((sum, sha1) => sum + (sizes.get(sha1) ?? 0), 0)
  if (size > bundleBytesMax) {
    return refuse('SV-2101', { message: `The upload is larger than ${bundleBytesMax} bytes.` })
  }
  const bytes: Uint8Array[] = []
  for (const sha1 of input.chunks) {
    const chunk = await inAccount(sql, accountId, (tx) => findChunk(tx, accountId, sha1))
    if (chunk === null) return { missing: [sha1] }
    bytes.push(chunk)
  }
  const bundle = Buffer.concat(bytes)
  const checksum = createHash('sha1').update(bundle).digest('hex')
  const maps = checksum === input.checksum ? await readBundle(bundle) : wrongChecksum
  // the chunks of an invalid bundle are deleted
  if (isRefusal(maps)) {
    await inAccount(sql, accountId, (tx) => deleteChunks(tx, accountId, input.chunks))
    return maps
  }
  return inAccount(sql, accountId, (tx) => storeMaps(tx, context.now(), writer, { input, projectIds, maps }))
}

const wrongChecksum = refuse('SV-2101', {
  message: 'The upload does not match its checksum. Upload it again.',
})

/** SV-2101 for an unknown project. `sentry-cli` would report a 404 as a missing release. */
const findProjectIds = async (
  sql: Sql,
  accountId: string,
  wanted: readonly string[],
): Promise<string[] | Refusal> => {
  const projects = await inAccount(sql, accountId, (tx) => findErrorProjects(tx, accountId))
  const ids = new Set<string>()
  for (const name of wanted) {
    const found =
      projects.find(({ id, number }) => name === id || name === number) ??
      projects.find((project) => project.name === name)
    if (found === undefined) {
      return refuse('SV-2101', {
        message: `This account has no error project "${name}". Use the project number, the last part of its DSN.`,
      })
    }
    ids.add(found.id)
  }
  return ids.size === 0 ? refuse('SV-2101', { message: 'The upload names no project.' }) : [...ids]
}

const storeMaps = async (
  tx: Transaction,
  nowMs: number,
  { accountId, actor }: Writer,
  { input, projectIds, maps }: { input: AssembleInput; projectIds: string[]; maps: BundleMap[] },
): Promise<Assembled | Refusal> => {
  // with this lock the sums below stay valid until the insert
  if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
  const { accountBytesMax, accountMapsMax } = sourceMapLimits
  const use = await findSourceMapUse(tx, accountId)
  const more = maps.reduce((sum, { packed }) => sum + packed.length, 0) * projectIds.length
  if (use.bytes + more > accountBytesMax || use.maps + maps.length * projectIds.length > accountMapsMax) {
    return refuse('SV-4101', {
      message: `The account has ${use.maps} source maps (${use.bytes} bytes); the limit is ${accountMapsMax} (${accountBytesMax} bytes). Delete some; space is free after about 10 minutes.`,
    })
  }
  const uploadId = uuidv7(nowMs)
  for (const projectId of projectIds) {
    for (const map of maps) {
      const id = uuidv7(nowMs)
      const { release } = input
      await insertSourceMap(tx, { ...map, id, accountId, projectId, uploadId, release }, nowMs)
    }
    const entry = { action: 'uploadSourceMaps', resourceType: 'error_source_maps' }
    await insertAudit(tx, actor, { ...entry, accountId, resourceId: projectId }, nowMs)
  }
  await deleteChunks(tx, accountId, input.chunks)
  return { uploadId, maps: maps.length }
}
