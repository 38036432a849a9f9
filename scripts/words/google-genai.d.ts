/**
 * What the types of google-genai for Python have (PyPI, 3.6.1: `types.py`) and those of `@google/genai` 3.3 do not, in
 * the names of the wire. Read by the census beside the package.
 */

export interface Part {
  documentMetadata?: DocumentMetadata
  spreadsheetMetadata?: SpreadsheetMetadata
  audioMetadata?: AudioMetadata
}
export interface FunctionResponsePart {
  mediaResolution?: PartMediaResolution
  videoMetadata?: VideoMetadata
  documentMetadata?: DocumentMetadata
  spreadsheetMetadata?: SpreadsheetMetadata
  audioMetadata?: AudioMetadata
}
export interface VideoMetadata {
  contentLayers?: ('FRAMES' | 'AUDIO' | 'TRANSCRIPT')[]
}
export interface DocumentMetadata {
  startPage?: number
  endPage?: number
  contentLayers?: ('PAGE_IMAGE' | 'PAGE_TEXT')[]
}
export interface SpreadsheetMetadata {
  visibleCells?: string
  sheetIndex?: number
  contentLayers?: ('DATA' | 'FORMULAS' | 'VISUAL')[]
}
export interface AudioMetadata {
  startOffset?: string
  endOffset?: string
}
export interface Schema {
  additionalProperties?: unknown
  defs?: unknown
  ref?: string
}
