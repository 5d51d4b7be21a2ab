import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import { showLine } from './show-value.ts'

/** A refusal as the API returned it: its code, its message, and the fields it names. */
export const problemLines = ({ code, message, errors }: Problem): string[] => [
  `${code}: ${showLine(message)}`,
  ...errors.map(
    ({ path, message: wrong }) => `  ${path === '' ? '' : `${showLine(path)} `}${showLine(wrong)}`,
  ),
]
