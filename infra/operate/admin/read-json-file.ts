import { open } from 'node:fs/promises'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'

/** Ten steps with the longest bodies and values fit; more is no check. */
export const fileBytesMax = 1024 * 1024

/** What a JSON file of the operator says, or SV-2001 with why it cannot be read. */
export const readJsonFile = async (path: string): Promise<{ value: unknown } | Refusal> => {
  const text = await readStart(path)
  if (text === null) return refuse('SV-2001', { message: `${path} cannot be read.` })
  if (text.length > fileBytesMax) {
    return refuse('SV-2001', { message: `${path} is larger than ${fileBytesMax} bytes.` })
  }
  try {
    return { value: JSON.parse(text.toString('utf8')) }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be parsed'
    return refuse('SV-2001', { status: 400, message: `${path} is not JSON: ${why}` })
  }
}

/** As much of a file as is looked at; null where there is none to read. */
const readStart = async (path: string): Promise<Buffer | null> => {
  try {
    const file = await open(path, 'r')
    try {
      const buffer = Buffer.alloc(fileBytesMax + 1)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    return null
  }
}
