/** What a list in one text names, such as `a, b`: each part without the blanks around it, empty ones left out. */
export const partsOf = (text: string, separator = ','): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
