import { styleText } from 'node:util'
import type { Output } from './world.ts'

type Style = Parameters<typeof styleText>[0]

/** Text in a colour where the output has colours. No colour says what no word says. */
export const paint = (
  { hasColours }: Pick<Output, 'hasColours'>,
  style: Style,
  text: string,
): string => (hasColours ? styleText(style, text, { validateStream: false }) : text)
