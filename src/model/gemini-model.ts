const GEMINI = /(?:^|\/)gemini-(\d+)/i

/** Whether a model is of this generation of Gemini or a newer one, as its name tells. */
export const isGeminiSince = (model: string, generation: number): boolean =>
  Number(GEMINI.exec(model)?.[1] ?? 0) >= generation

/**
 * Whether the model refuses a first call without a proof or the stand-in for one (guide: thought signatures): as it is
 * configured to think, or as its name tells.
 */
export const wantsProvenCalls = (model: string, thinking: string | undefined): boolean =>
  thinking === undefined ? isGeminiSince(model, 3) : thinking === 'level'

/** The service accepts this value in place of a proof, for a call that the model did not make itself. */
export const NO_PROOF = 'skip_thought_signature_validator'
