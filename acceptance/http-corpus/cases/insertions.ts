import type { CaseClass } from './case.ts'

/** One symbol inserted into an answer at one place: the grid of web-platform-tests, fetch/h1-parsing. */
const source = 'web-platform-tests fetch/h1-parsing/tools/generate_parsing_asis.py'

const places = {
  'before all': ['', 'HTTP/1.1 200 OK\r\nX-Frame-Options:DENY\r\n'],
  'inside HTTP': ['HT', 'TP/1.1 200 OK\r\nX-Frame-Options:DENY\r\n'],
  'before the slash': ['HTTP', '/1.1 200 OK\r\nX-Frame-Options:DENY\r\n'],
  'after the slash': ['HTTP/', '1.1 200 OK\r\nX-Frame-Options:DENY\r\n'],
  'before the dot': ['HTTP/1', '.1 200 OK\r\nX-Frame-Options:DENY\r\n'],
  'after the dot': ['HTTP/1.', '1 200 OK\r\nX-Frame-Options:DENY\r\n'],
  'after the version': ['HTTP/1.1', ' 200 OK\r\nX-Frame-Options:DENY\r\n'],
  'before the status': ['HTTP/1.1 ', '200 OK\r\nX-Frame-Options:DENY\r\n'],
  'after the status': ['HTTP/1.1 200', ' OK\r\nX-Frame-Options:DENY\r\n'],
  'before the reason': ['HTTP/1.1 200 ', 'OK\r\nX-Frame-Options:DENY\r\n'],
  'after the reason': ['HTTP/1.1 200 OK', '\r\nX-Frame-Options:DENY\r\n'],
  'before a name': ['HTTP/1.1 200 OK\r\n', 'X-Frame-Options:DENY\r\n'],
  'inside a name': ['HTTP/1.1 200 OK\r\nX-Frame', '-Options:DENY\r\n'],
  'before the colon': ['HTTP/1.1 200 OK\r\nX-Frame-Options', ':DENY\r\n'],
  'after the colon': ['HTTP/1.1 200 OK\r\nX-Frame-Options:', 'DENY\r\n'],
  'inside a value': ['HTTP/1.1 200 OK\r\nX-Frame-Options:DE', 'NY\r\n'],
  'after a value': ['HTTP/1.1 200 OK\r\nX-Frame-Options:DENY', '\r\n'],
} as const

const symbols: Readonly<Record<string, [text: string, rule: string]>> = {
  'a line feed': ['\n', 'RFC 9112 2.2: a recipient may take LF alone as a line end'],
  'a carriage return': ['\r', 'RFC 9112 2.2: a bare CR is not a line end'],
  'a tab': ['\t', 'RFC 9112 3, 4, 5: white space where the grammar has none'],
  'a space': [' ', 'RFC 9112 3, 4, 5: white space where the grammar has none'],
  'a NUL': ['\0', 'RFC 9110 5.5: CR, LF and NUL in a value are dangerous'],
  'a colon': [':', 'RFC 9112 4, 5: only the first colon ends a name'],
}

export const insertions: readonly CaseClass[] = Object.entries(symbols).map(([symbol, [text, rule]]) => ({
  name: `${symbol} inserted`,
  cases: Object.entries(places).map(([place, [before, after]]) => ({
    name: `${symbol} ${place}`,
    rule,
    source,
    answer: `${before}${text}${after}Content-Length: 5\r\n\r\nTest.`,
  })),
}))
