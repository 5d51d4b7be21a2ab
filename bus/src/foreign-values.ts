import { parseReading } from '@probe-mesh/contracts/reading/reading'
import type { AgentPresence, RunReply } from './port.ts'

const nameCharactersMax = 200

/** Parses an agent's reply to a run; anything malformed is `not_understood`. Never throws. */
export const toRunReply = (value: unknown): RunReply => {
  const { agent, reading, error } = Object(value) as Record<string, unknown>
  if (!isName(agent)) return { agent: '', error: 'not_understood' }
  const sound = parseReading(reading)
  if (sound.success) return { agent, reading: sound.data }
  return { agent, error: isName(error) ? error : 'not_understood' }
}

/**
 * Parses an announcement of an agent of this region; null when it is malformed. Readers check its other
 * fields. Never throws.
 */
export const toPresence = (value: unknown, region: string): AgentPresence | null => {
  const announced = Object(value) as Record<string, unknown>
  const isSound =
    isName(announced['agent']) &&
    announced['region'] === region &&
    typeof announced['version'] === 'string' &&
    typeof announced['startedAt'] === 'number'
  return isSound ? (announced as AgentPresence) : null
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= nameCharactersMax
