import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { Player, resign } from "./player";
import type { Playback } from "./report";

// As in a browser that plays it itself.
vi.mock("hls.js/light", () => ({ default: { isSupported: () => false } }));

const base = "https://assay.test/media/v1/rec1/2026/newsig/index.m3u8";

test.each([
  ["a segment", "https://assay.test/media/v1/rec1/2025/oldsig/seg-3.ts", "https://assay.test/media/v1/rec1/2026/newsig/seg-3.ts"],
  ["a segment with a query", "https://assay.test/media/v1/rec1/2025/oldsig/seg.ts?a=1", "https://assay.test/media/v1/rec1/2026/newsig/seg.ts?a=1"],
  ["something else", "https://assay.test/assets/x.js", "https://assay.test/assets/x.js"],
])("the newest signature in the address of %s", (_, url, want) => expect(resign(url, base)).toBe(want));

test("an address stays where there is no signature to put in", () => {
  const url = "https://assay.test/media/v1/rec1/2025/oldsig/seg-3.ts";
  expect(resign(url, "https://elsewhere.test/video.mp4")).toBe(url);
});

describe("a recording", () => {
  const minute = 60_000;
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  class Video extends EventTarget {
    paused = true;
    src = "";
    play = async () => {
      this.paused = false;
      this.dispatchEvent(new Event("play"));
    };
    pause = () => (this.paused = true);
  }

  /** A recording that is played. Its addresses work for ten minutes of a server whose clock is that much behind. */
  async function played({ behind = 0, refused = () => null as object | null } = {}) {
    const video = new Video();
    const sign = vi.fn(async (): Promise<Playback> => {
      const why = refused();
      if (why) throw Object.assign(new Error("no"), why);
      const at = (later: number) => new Date(Date.now() - behind + later).toISOString();
      const sources = [{ kind: "hls", mime_type: "", url: base }];
      return { answered_at: at(0), refresh_after: at(9 * minute), expires_at: at(10 * minute), sources, poster_url: null, subtitles_url: null };
    });
    const failed = vi.fn();
    const player = new Player(video as unknown as HTMLVideoElement, sign, { begun: () => {}, ready: () => {}, failed });
    await player.open();
    await video.play();
    await vi.advanceTimersByTimeAsync(0);
    return { video, sign, failed, player };
  }

  test("is signed again as long as it plays, whatever this machine's clock says", async () => {
    for (const behind of [0, 9.5 * minute, -9.5 * minute]) {
      const { sign, player } = await played({ behind });
      await vi.advanceTimersByTimeAsync(8.9 * minute);
      expect(sign).toHaveBeenCalledTimes(1);
      await vi.advanceTimersByTimeAsync(9 * minute);
      expect(sign).toHaveBeenCalledTimes(2);
      player.stop();
      await vi.advanceTimersByTimeAsync(60 * minute);
      expect(sign).toHaveBeenCalledTimes(2);
    }
  });

  test("that is paused is signed again when it is played on", async () => {
    const { video, sign } = await played();
    video.pause();
    await vi.advanceTimersByTimeAsync(600 * minute);
    expect(sign).toHaveBeenCalledTimes(1);
    await video.play();
    await vi.advanceTimersByTimeAsync(0);
    expect(sign).toHaveBeenCalledTimes(2);
  });

  test.each([401, 404, 410])("is not asked for again when the server answers %s, unless somebody plays it", async (status) => {
    let why: object | null = null;
    const { video, sign, failed } = await played({ refused: () => why });
    why = { status };
    await vi.advanceTimersByTimeAsync(60 * minute);
    expect(sign).toHaveBeenCalledTimes(2);
    expect(failed).toHaveBeenLastCalledWith("no");
    why = null;
    await video.play();
    await vi.advanceTimersByTimeAsync(0);
    expect(sign).toHaveBeenCalledTimes(3);
    expect(failed).toHaveBeenLastCalledWith("");
  });

  test("is asked for again while the server is away", async () => {
    let why: object | null = null;
    const { sign, failed } = await played({ refused: () => why });
    why = { status: 503 };
    await vi.advanceTimersByTimeAsync(9.1 * minute);
    expect(sign.mock.calls.length).toBeGreaterThan(2);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(minute);
    expect(failed).toHaveBeenLastCalledWith("no");
    why = null;
    await vi.advanceTimersByTimeAsync(minute);
    expect(failed).toHaveBeenLastCalledWith("");
  });
});
