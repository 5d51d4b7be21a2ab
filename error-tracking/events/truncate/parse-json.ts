import { cutNesting } from './cut-nesting.ts'

/** Far more levels than real events have, and far fewer than overflow the stack. */
export const nestingMax = 100

/** Parses JSON, with a mark for data below `nestingMax`; undefined for invalid JSON. Never throws. */
export const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(cutNesting(bytes, nestingMax)))
  } catch {
    return undefined
  }
}
