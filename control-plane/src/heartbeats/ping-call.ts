import { Uuid } from '@probe-mesh/contracts/schema/ids'
import type { Ping } from './ping.ts'

/** What a call of the ping API asks for, or the answer that it gets at once. */
export type PingCall =
  | { ok: true; pingKey: string; kind: Ping['kind']; rid: string | null; exitCode: number | null }
  | { ok: false; status: 400 | 404; text: string }

const notFound = { ok: false, status: 404, text: 'not found' } as const

/**
 * Reads `/ping/<uuid>[/start|/fail|/log|/<exit code>][?rid=<uuid>]` as healthchecks.io does:
 * unknown query parameters are ignored, exit code 0 is a success and any other up to 255 a failure.
 */
export const readPingCall = (call: {
  key: string
  action: string | undefined
  rid: unknown
}): PingCall => {
  const key = Uuid.safeParse(call.key)
  if (!key.success) return notFound
  const action = readAction(call.action)
  if (!action.ok) return action
  if (call.rid === undefined) return { ...action, pingKey: key.data, rid: null }
  const rid = Uuid.safeParse(call.rid)
  if (!rid.success) return { ok: false, status: 400, text: 'invalid uuid format' }
  return { ...action, pingKey: key.data, rid: rid.data }
}

type Action =
  | { ok: true; kind: Ping['kind']; exitCode: number | null }
  | Extract<PingCall, { ok: false }>

const readAction = (action: string | undefined): Action => {
  switch (action) {
    case undefined:
      return { ok: true, kind: 'success', exitCode: null }
    case 'start':
    case 'fail':
    case 'log':
      return { ok: true, kind: action, exitCode: null }
    default: {
      if (!/^-?\d+$/.test(action)) return notFound
      const exitCode = Number(action)
      return /^\d{1,3}$/.test(action) && exitCode <= 255
        ? { ok: true, kind: exitCode === 0 ? 'success' : 'fail', exitCode }
        : { ok: false, status: 400, text: 'invalid exit code' }
    }
  }
}
