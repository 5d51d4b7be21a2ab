/** The HTTP response to an error. */
export type ExceptionResponse = {
  readonly status: number
  readonly code: string
  readonly body: string
}

/** An error of the facade, worded like one of a ClickHouse server. */
export class FacadeException extends Error {
  override readonly name = 'FacadeException'
  constructor(code: number, type: string, text: string) {
    super(`Code: ${code}. DB::Exception: ${text}. (${type})`)
  }
}

/** ClickHouse's table (`exceptionCodeToHTTPStatus` in HTTPHandler.cpp); other types are 500. */
const statuses: Readonly<Record<number, readonly string[]>> = {
  400: [
    'BAD_ARGUMENTS',
    'CANNOT_COMPILE_REGEXP',
    'CANNOT_PARSE_TEXT',
    'CANNOT_PARSE_ESCAPE_SEQUENCE',
    'CANNOT_PARSE_QUOTED_STRING',
    'CANNOT_PARSE_DATE',
    'CANNOT_PARSE_DATETIME',
    'CANNOT_PARSE_NUMBER',
    'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
    'UNKNOWN_ELEMENT_IN_AST',
    'UNKNOWN_TYPE_OF_AST_NODE',
    'TOO_DEEP_AST',
    'TOO_BIG_AST',
    'UNEXPECTED_AST_STRUCTURE',
    'SYNTAX_ERROR',
    'INCORRECT_DATA',
    'TYPE_MISMATCH',
    'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
  ],
  401: ['REQUIRED_PASSWORD'],
  403: ['UNKNOWN_USER', 'WRONG_PASSWORD', 'AUTHENTICATION_FAILED', 'SET_NON_GRANTED_ROLE'],
  404: [
    'UNKNOWN_TABLE',
    'UNKNOWN_FUNCTION',
    'UNKNOWN_IDENTIFIER',
    'UNKNOWN_TYPE',
    'UNKNOWN_STORAGE',
    'UNKNOWN_DATABASE',
    'UNKNOWN_SETTING',
    'UNKNOWN_DIRECTION_OF_SORTING',
    'UNKNOWN_AGGREGATE_FUNCTION',
    'UNKNOWN_FORMAT',
    'UNKNOWN_DATABASE_ENGINE',
    'UNKNOWN_TYPE_OF_QUERY',
    'UNKNOWN_ROLE',
  ],
  408: ['TIMEOUT_EXCEEDED'],
  413: ['QUERY_IS_TOO_LARGE', 'TOO_MANY_BYTES'],
  501: ['NOT_IMPLEMENTED'],
  503: ['SOCKET_TIMEOUT', 'CANNOT_OPEN_FILE'],
}

const statusByType = new Map(
  Object.entries(statuses).flatMap(([status, types]) => types.map((type) => [type, Number(status)])),
)

/**
 * Builds the response that the server would send: the code in a header, the message in the body.
 * @param message `Code: 60. DB::Exception: Unknown table ... (UNKNOWN_TABLE)`; anything else gets code 1001,
 * the server's code for unexpected errors
 * @param version of the engine
 */
export const exceptionResponse = (message: string, version: string): ExceptionResponse => {
  const code = /^Code: (\d+)\./.exec(message)?.[1]
  if (code === undefined) {
    const body = `Code: 1001. DB::Exception: ${message}. (STD_EXCEPTION) (version ${version})\n`
    return { status: 500, code: '1001', body }
  }
  // The type ends the message; the text before it may contain any brackets.
  const type = /\(([A-Z0-9_]+)\)\s*$/.exec(message)?.[1] ?? ''
  return { status: statusByType.get(type) ?? 500, code, body: `${message} (version ${version})\n` }
}
