"""The secret randomness: the right keyed function, fresh keys, and nothing that shows them."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest

import pellucid as pc
from pellucid.anonymize.layout.entries import lay_out
from pellucid.core.coins import Coins
from pellucid.kernels import keyed


def plain_siphash(k0: int, k1: int, word: int) -> int:
    """SipHash-2-4 of eight bytes, written from its definition."""
    mask = (1 << 64) - 1
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def turn(x: int, bits: int) -> int:
        return ((x << bits) | (x >> (64 - bits))) & mask

    def rounds(times: int) -> None:
        for _ in range(times):
            v[0] = (v[0] + v[1]) & mask
            v[2] = (v[2] + v[3]) & mask
            v[1] = turn(v[1], 13) ^ v[0]
            v[3] = turn(v[3], 16) ^ v[2]
            v[0] = turn(v[0], 32)
            v[2] = (v[2] + v[1]) & mask
            v[0] = (v[0] + v[3]) & mask
            v[1] = turn(v[1], 17) ^ v[2]
            v[3] = turn(v[3], 21) ^ v[0]
            v[2] = turn(v[2], 32)

    for block in (word, 8 << 56):
        v[3] ^= block
        rounds(2)
        v[0] ^= block
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


KEY = (0x0706050403020100, 0x0F0E0D0C0B0A0908)


def test_the_keyed_function_gives_the_published_test_vector_of_its_authors() -> None:
    assert plain_siphash(*KEY, 0x0706050403020100) == 0x93F5F5799A932462
    out = np.empty(1, np.int64)
    keyed.hash_words(*KEY, np.array([0x0706050403020100]), out)
    assert out[0] == 0x93F5F5799A932462 >> 1


def test_the_compiled_function_equals_the_plain_one() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        k0, k1 = (int(x) for x in rng.integers(0, 2**64, 2, dtype=np.uint64))
        words = rng.integers(-(2**63), 2**63, 20, dtype=np.int64)
        out = np.empty(20, np.int64)
        keyed.hash_words(k0, k1, words, out)
        assert out.tolist() == [plain_siphash(k0, k1, int(word) % 2**64) >> 1 for word in words]
        keyed.hash_range(k0, k1, 1000, out)
        assert out.tolist() == [plain_siphash(k0, k1, 1000 + i) >> 1 for i in range(20)]


def test_the_same_for_any_number_of_threads() -> None:
    coins = Coins.fresh()
    order = coins.order(100_000)
    assert (order == coins.order(100_000, threads=3)).all()
    assert (coins.draws(order) == coins.draws(order, threads=2)).all()
    assert (order[:10] == coins.order(10)).all()


def test_fresh_coins_are_never_the_same_and_purposes_do_not_share_a_key() -> None:
    assert len({Coins.fresh().key for _ in range(100)}) == 100
    coins = Coins.fresh()
    assert coins.subkey("order") != coins.subkey("assign")
    assert Coins.from_seed(1).key != Coins.from_seed("1").key != Coins.from_seed(2).key
    assert len(Coins.fresh().key) == 16


def test_a_release_uses_fresh_coins_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[bytes] = []
    fresh = Coins.fresh

    def watched() -> Coins:
        coins = fresh()
        keys.append(coins.key)
        return coins

    monkeypatch.setattr(Coins, "fresh", watched)
    releases = [
        pc.publish(pc.datasets.patients(), pc.Hybrid(l=2), quasi=["age"], sensitive="disease") for _ in range(3)
    ]
    assert len(set(keys)) == 3
    for key in keys:
        for release in releases:
            assert key not in pickle.dumps((release.public.recipe, release.private.grouping))


def test_coins_do_not_show_their_key() -> None:
    coins = Coins.from_seed(5)
    for text in (repr(coins), str(coins), f"{coins}", repr([copy.copy(coins)])):
        assert coins.key.hex() not in text
        assert repr(coins.key) not in text
        assert "secret" in text


@pytest.mark.parametrize("threads", [1, 3])
def test_entries_have_the_order_that_the_coins_draw(threads: int) -> None:
    table = pc.read(pc.datasets.census(30_000, seed=2), quasi=["age", "gender"], sensitive="occupation")
    coins = Coins.from_seed(3)
    drawn = lay_out(table, coins, threads)
    told = lay_out(dataclasses.replace(table, order=coins.order(len(table))), coins, threads)
    for name in ("records", "rows", "orders", "sensitive"):
        assert np.array_equal(getattr(drawn, name), getattr(told, name))
    assert np.array_equal(drawn.orders, coins.order(len(table))[drawn.rows])
