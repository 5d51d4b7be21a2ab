const asciiUnits = 128

/**
 * Whether the UTF-16 unit at a place of a text is in a class. For ASCII that is looked up: a regular expression
 * asked for each character costs ten times as much.
 */
export const classOf = (pattern: RegExp): ((text: string, at: number) => boolean) => {
  const isIn = (unit: number): boolean => pattern.test(String.fromCharCode(unit))
  const table = Uint8Array.from({ length: asciiUnits }, (_, unit) => Number(isIn(unit)))
  return (text, at) => {
    const unit = text.charCodeAt(at)
    return unit < asciiUnits ? table[unit] === 1 : isIn(unit)
  }
}
