// Talking to srt review. Every answer is {status, data}; where something went wrong, data.error says what.

const TOKEN = new URLSearchParams(location.search).get("token") ?? "";

async function ask(path, body) {
  const headers = { "X-SRT-Token": TOKEN, ...(body && { "Content-Type": "application/json" }) };
  try {
    const response = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
    const failed = () => ({ error: `srt review failed (${response.status}); its terminal says why. Nothing was saved.` });
    return { status: response.status, data: await response.json().catch(failed) };
  } catch {
    return { status: 0, data: { error: "srt review does not answer: was it ended? Start it again; what was saved is kept." } };
  }
}

export const loadSession = () => ask("api/session");
export const loadCase = (index) => ask(`api/cases/${index}`);
export const checkDraft = (index, draft) => ask(`api/cases/${index}/check`, draft);
export const sendDecision = (index, decision) => ask(`api/cases/${index}/decide`, decision);

// The address of picture `number` (from 1), to be revoked when it is shown no more. Throws what went wrong, as text.
export async function loadPicture(index, number) {
  const response = await fetch(`api/cases/${index}/pictures/${number}`, { headers: { "X-SRT-Token": TOKEN } });
  if (!response.ok) throw (await response.json()).error;
  return URL.createObjectURL(await response.blob());
}
