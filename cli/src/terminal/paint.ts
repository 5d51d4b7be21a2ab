import { styleText } from 'node:util'
import type { Output } from './context.ts'

type Style = Parameters<typeof styleText>[0]

/** Coloured text if the output has colours. Colour never carries meaning alone. */
export const paint = ({ hasColours }: Pick<Output, 'hasColours'>, style: Style, text: string): string =>
  hasColours ? styleText(style, text, { validateStream: false }) : text
