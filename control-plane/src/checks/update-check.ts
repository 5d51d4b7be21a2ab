import { toAssertions } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { UpdateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import type { Transaction } from '../stores/postgres/connect.ts'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Caller } from '../accounts/operations/context.ts'
import type { CheckContext } from './check-context.ts'
import { actionOf, reviseCheck, type CheckChange } from './revise-check.ts'
import type { CheckRecord } from '../records/check/check-record.ts'
import { httpConfig } from './draft-check.ts'
import { resolveRegions, placeCheck } from './check-regions.ts'
import { refuseLongTimeout } from './check-interval.ts'

/** Replaces all assertion fields; without any, all are cleared (S-309). */
export const updateCheckAssertions = (
  context: Pick<CheckContext, 'sql' | 'answers' | 'targets' | 'rules' | 'now'>,
  caller: Caller,
  input: RouteInput<'updateCheckAssertions'>,
): Promise<Check | Refusal> =>
  reviseCheck(
    context,
    caller,
    'updateCheckAssertions',
    input.params.id,
    (check) => refuseOtherTypes(check) ?? { assertions: toAssertions(input.body) },
  )

/**
 * Changes the regions, the timeout, the meaning of a refusal and the tags of an http check, or pauses or resumes it;
 * absent fields stay. Naming all live regions sets `allRegions`.
 */
export const updateCheckRegions = (
  context: Pick<CheckContext, 'sql' | 'answers' | 'targets' | 'rules' | 'now'>,
  caller: Caller,
  { params, body }: RouteInput<'updateCheckRegions'>,
): Promise<Check | Refusal> =>
  reviseCheck(context, caller, actionOf(body, 'updateCheckRegions'), params.id, (check, tx) =>
    decideUpdate(tx, check, body, context.rules.regions),
  )

/** The change of a check by `PATCH /checks/:id`, or its refusal. */
export const decideUpdate = async (
  tx: Transaction,
  check: CheckRecord,
  body: UpdateCheckInput,
  live: readonly Region[],
): Promise<CheckChange | Refusal> => {
  const { regions, paused = check.paused, tags = check.tags, ...edit } = body
  if (Object.keys(body).length === 0) return refuse('SV-2001', { message: nothingToChange })
  const resolved = regions === undefined ? null : resolveRegions(regions, live)
  const changed = httpConfigChange(check, edit)
  const errors = [
    ...(resolved === null || resolved.ok ? [] : resolved.problems),
    ...(isRefusal(changed) ? changed.errors : []),
  ]
  if (errors.length > 0) return refuse('SV-2001', { errors })
  const other = refuseOtherTypes(check)
  if (other !== null) return other
  if (isRefusal(changed)) return changed
  const placed = regions === undefined ? {} : await placeCheck(tx, check, regions, live)
  if (isRefusal(placed)) return placed
  return { paused, tags, ...placed, ...changed }
}

const nothingToChange =
  'The body has nothing to change. Send regions, timeoutSeconds, refusedAs, paused or tags.'

/** The fields of an http check's config that an edit can change; `null` removes the timeout. */
type HttpConfigEdit = {
  sendRegion?: boolean | undefined
  timeoutSeconds?: number | null | undefined
  refusedAs?: 'down' | 'blocked' | undefined
  /** null: a plain GET. */
  request?: HttpRequest | null | undefined
}

/** The next config of an http check; SV-2001 if the timeout does not fit into the interval. */
export const httpConfigChange = (
  { config, intervalSeconds }: Pick<CheckRecord, 'config' | 'intervalSeconds'>,
  edit: HttpConfigEdit,
): CheckChange | Refusal => {
  if (config.type !== 'http') return {}
  const { timeoutSeconds = config.timeoutSeconds } = edit
  const next = httpConfig({
    sendRegion: edit.sendRegion ?? config.sendRegion,
    timeoutSeconds: timeoutSeconds ?? undefined,
    refusedAs: edit.refusedAs ?? config.refusedAs,
    request: (edit.request === undefined ? config.request : edit.request) ?? undefined,
  })
  // an unchanged timeout is not checked again
  const isNewTimeout = typeof edit.timeoutSeconds === 'number'
  const tooLong = isNewTimeout ? refuseLongTimeout(next, intervalSeconds) : null
  return tooLong ?? { config: next }
}

/** The REST API creates and changes http checks only (S-202). */
export const refuseOtherTypes = (check: CheckRecord): Refusal | null =>
  check.type === 'http'
    ? null
    : refuse('SV-3005', {
        message: `This is a ${check.type} check, and the REST API changes only http checks. Edit it in the dashboard.`,
      })
