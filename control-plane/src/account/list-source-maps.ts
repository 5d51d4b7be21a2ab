import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { sourceMapLimits, sourceMapUploadsMax } from '@probe-mesh/contracts/source-map'
import type { SourceMaps } from '@probe-mesh/contracts/source-map'
import { findErrorProject } from '../postgres/error-projects.ts'
import { findSourceMapUploads, findSourceMapUse } from '../postgres/error-source-maps.ts'
import { inAccount } from '../postgres/in-account.ts'
import type { AccountContext, Caller } from './context.ts'

/** The source maps of an error project by upload, and how much room the account has left. */
export const listSourceMaps = (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<SourceMaps | Refusal> =>
  inAccount(sql, accountId, async (tx) => {
    if ((await findErrorProject(tx, accountId, id)) === null) return refuse('SV-3001')
    const [found, use] = await Promise.all([
      findSourceMapUploads(tx, accountId, id, sourceMapUploadsMax),
      findSourceMapUse(tx, accountId),
    ])
    return {
      ...found,
      bytesUsed: use.bytes,
      bytesMax: sourceMapLimits.accountBytesMax,
      asOf: new Date(now()).toISOString(),
    }
  })
