import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import {
  sourceMapLimits,
  sourceMapUploadsMax,
} from '@probe-mesh/contracts/error-tracking/source-map'
import type { SourceMaps } from '@probe-mesh/contracts/error-tracking/source-map'
import { findErrorProject } from '../projects/error-projects-store.ts'
import { findSourceMapUploads, findSourceMapUse } from './error-source-maps-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'

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
