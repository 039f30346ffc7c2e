"""Plain second implementations: n x n matrices, loops, dense solvers. Slow, short, and close to the formulas."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist


def unit(X):
    lengths = np.linalg.norm(X, axis=1)
    return X / np.where(lengths == 0, 1, lengths)[:, None]


def mmd_matrix(ys, yt, n_target, n_classes, marginal=None, conditional=1.0):
    """marginal * M0 + sum of conditional * Mc; marginal is the number of classes unless given."""
    n_source = len(ys)
    e = np.concatenate([np.full(n_source, 1 / n_source), np.full(n_target, -1 / n_target)])
    M = (n_classes if marginal is None else marginal) * np.outer(e, e)
    for c in range(n_classes) if yt is not None else ():
        e = np.zeros(n_source + n_target)
        e[:n_source][ys == c] = 1 / np.sum(ys == c)
        if np.any(yt == c):
            e[n_source:][yt == c] = -1 / np.sum(yt == c)
        M += conditional * np.outer(e, e)
    return M


def scatter_matrix(ys, yt, n_target, repulsion):
    """DICD's Q, a block for each domain."""
    blocks = [_scatter_block(ys, repulsion)]
    blocks.append(np.zeros((n_target, n_target)) if yt is None else _scatter_block(yt, repulsion))
    return linalg.block_diag(*blocks)


def _scatter_block(y, repulsion):
    n = len(y)
    same = y[:, None] == y
    sizes = same.sum(axis=1)
    Q = np.where(same, -n / sizes[:, None], repulsion)
    Q[np.arange(n), np.arange(n)] = n - repulsion * (n - sizes)
    return Q


def kernel_matrix(X, kernel, gamma=1.0):
    """F: the samples themselves (primal) or their kernel matrix."""
    if kernel == "primal":
        return X
    return X @ X.T if kernel == "linear" else np.exp(-gamma * cdist(X, X, "sqeuclidean"))


def sides(F, theta, ridge):
    """Left and right side of the generalised eigenproblem."""
    n = len(F)
    H = np.eye(n) - 1 / n
    left = F.T @ theta @ F + ridge * np.eye(F.shape[1])
    right = F.T @ H @ F
    return (left + left.T) / 2, (right + right.T) / 2


def eigenvectors(F, theta, ridge, k, shift=1.0):
    """The k eigenvectors of smallest eigenvalue, unit length, by `eigh` on (right, left + shift * right).

    The shift moves all eigenvalues alike and makes the left side definite, which `eigh` needs.
    """
    left, right = sides(F, theta, ridge)
    n = len(left)
    _, A = linalg.eigh(right, left + shift * right, subset_by_index=[n - k, n - 1])
    A = A[:, ::-1]
    return A / np.linalg.norm(A, axis=0)


def eigenvectors_general(F, theta, ridge, k):
    """The same by `eig`, as the research scripts do it: for indefinite left sides, if the right side is definite."""
    left, right = sides(F, theta, ridge)
    values, A = linalg.eig(left, right)
    order = np.argsort(values.real)[:k]
    A = A[:, order].real
    return A / np.linalg.norm(A, axis=0)


def nearest(references, queries):
    """First index of the smallest distance."""
    return cdist(queries, references).argmin(axis=1)


def adapt(Xs, ys, Xt, term, *, k, ridge, kernel, rounds, gamma=1.0, solve=eigenvectors):
    """Labels of the target after each round; `term(ys, yt)` gives the n x n matrix."""
    F = kernel_matrix(unit(np.vstack([Xs, Xt])), kernel, gamma)
    yt = None
    history = []
    for _ in range(rounds):
        Z = unit(F @ solve(F, term(ys, yt), ridge, k))
        yt = ys[nearest(Z[: len(Xs)], Z[len(Xs) :])]
        history.append(yt)
    return history


def jda_term(n_target, n_classes):
    def term(ys, yt):
        M = mmd_matrix(ys, yt, n_target, n_classes)
        return M / np.linalg.norm(M)

    return term


def dicd_term(n_target, n_classes, repulsion, discrimination=1.0):
    def term(ys, yt):
        M = mmd_matrix(ys, yt, n_target, n_classes)
        Q = scatter_matrix(ys, yt, n_target, repulsion)
        return M / np.linalg.norm(M) + discrimination * Q / np.linalg.norm(Q)

    return term


def utsp(Z, labels, trust, *, tree=True):
    """Confident samples of each class, by breadth-first search over a list of edges."""
    Z = unit(Z)
    confident = np.ones(len(Z), dtype=bool)
    for label in sorted(set(labels)):
        members = [i for i in range(len(Z)) if labels[i] == label]
        pairs = {(i, j): float(Z[i] @ Z[j]) for a, i in enumerate(members) for j in members[a + 1 :]}
        values: list[list[float]] = []
        for value in sorted(value for value in pairs.values() if abs(value) > 1e-12):
            if not values or value - values[-1][-1] > 1e-12:
                values.append([value])
            else:
                values[-1].append(value)
        number = int(np.floor(trust * len(values) + 1e-9))
        if len(members) <= 3 or number == 0 or values[number - 1][0] <= 0:
            continue
        neighbours: dict[int, list[int]] = {i: [] for i in members}
        for (i, j), value in pairs.items():
            if value >= values[number - 1][0]:
                neighbours[i].append(j)
                neighbours[j].append(i)
        if tree:
            reached = [max(members, key=lambda i: len(neighbours[i]))]
            for i in reached:
                reached += [j for j in neighbours[i] if j not in reached]
        else:
            reached = [i for i in members if neighbours[i]]
        confident[[i for i in members if i not in reached]] = False
    return confident


def distinct_quantile(numbers, share, same):
    """Of all numbers in order: which begin a value, and the one of that number."""
    ordered = sorted(float(number) for number in numbers)
    begins = [b for a, b in zip([-9.0, *ordered], ordered, strict=False) if b - a > same]
    number = int(share * len(begins) + 1e-9)
    return begins[number - 1] if number else None


def remedy(Zs, ys, Zt, crude, trust, inner_iterations):
    """The inner loop with 1-NN; returns labels and the samples that were never picked."""
    labels = crude.copy()
    pool, pool_labels = Zs, ys
    uncertain = list(range(len(Zt)))
    for _ in range(inner_iterations):
        mask = utsp(Zt[uncertain], labels[uncertain], trust)
        high = [i for i, ok in zip(uncertain, mask, strict=True) if ok]
        low = [i for i, ok in zip(uncertain, mask, strict=True) if not ok]
        low.sort(key=lambda i: labels[i])  # stable: class by class, in the order given
        pool = np.vstack([pool, Zt[high]])
        pool_labels = np.concatenate([pool_labels, labels[high]])
        uncertain = low
        if not low:
            break
        labels[low] = pool_labels[nearest(pool, Zt[low])]
    return labels, np.array(uncertain, dtype=int)


def marginal_term(n_source, n_target):
    """M0 of Frobenius norm 1."""
    M = mmd_matrix(np.zeros(n_source, int), None, n_target, 1)
    return M / np.linalg.norm(M)


def eigen_residual(left, right, A):
    """The largest of |left a - theta right a| over |left a| + |theta right a|, theta the Rayleigh quotient of a."""
    residuals = []
    for a in A.T:
        la, ra = left @ a, right @ a
        theta = (a @ la) / (a @ ra)
        residuals.append(np.linalg.norm(la - theta * ra) / (np.linalg.norm(la) + abs(theta) * np.linalg.norm(ra)))
    return max(residuals)


def tjm(K, n_source, ridge, k, rounds, *, constrained=False):
    """A of each round, with n x n matrices and the penalties as a diagonal."""
    n = len(K)
    M = marginal_term(n_source, n - n_source)
    H = np.eye(n) - 1 / n
    G = np.eye(n)
    history = []
    for _ in range(rounds):
        left, right = K @ M @ K + ridge * G, K @ H @ K
        _, A = linalg.eigh((right + right.T) / 2, (left + left.T) / 2, subset_by_index=[n - k, n - 1])
        A = A[:, ::-1]
        A = A / (np.sqrt(np.sum(A * (right @ A), axis=0)) if constrained else np.linalg.norm(A, axis=0))
        history.append(A)
        for i in range(n_source):
            G[i, i] = 1 / np.sqrt(A[i] @ A[i] + np.finfo(float).eps)
    return history


def soft(A, amount):
    return np.sign(A) * np.maximum(np.abs(A) - amount, 0)


def dtsl(Xs, ys, Xt, *, ridge, sparsity, noise, growth, steps):
    """DTSL's P and low-rank copy of Z after some steps of ADMM, and the residuals of each: whole SVDs and inverses."""
    Xs, Xt = Xs.T, Xt.T
    C = ys.max() + 1
    m, ns, nt = len(Xs), Xs.shape[1], Xt.shape[1]
    Y = np.eye(C)[:, ys]
    B, M = 2 * Y - 1, np.ones((C, ns))
    U = np.linalg.svd(Xs - Xs.mean(axis=1, keepdims=True))[0]
    U = U * np.sign(U[np.abs(U).argmax(axis=0), range(m)])
    P = np.zeros((m, C))
    P[:, : min(m, C)] = U[:, :C]
    Z, Z1, Z2, Y2, Y3 = (np.zeros((ns, nt)) for _ in range(5))
    E, Y1 = np.zeros((C, nt)), np.zeros((C, nt))
    mu, residuals = 0.1, []
    for step in range(steps):
        if step > 0:
            V0, V1, V2 = Y + B * M, Xt - Xs @ Z, E - Y1 / mu
            P = np.linalg.inv(2 * Xs @ Xs.T + mu * V1 @ V1.T + 2 * ridge * np.eye(m)) @ (2 * Xs @ V0.T + mu * V1 @ V2.T)
        M = np.maximum(B * (P.T @ Xs - Y), 0)
        E = soft(P.T @ Xt - P.T @ Xs @ Z + Y1 / mu, noise / mu)
        wanted = Z1 - Y2 / mu + Z2 - Y3 / mu + Xs.T @ P @ (P.T @ Xt - E + Y1 / mu)
        Z = np.linalg.inv(2 * np.eye(ns) + Xs.T @ P @ P.T @ Xs) @ wanted
        U, s, Vt = np.linalg.svd(Z + Y2 / mu, full_matrices=False)
        Z1 = (U * soft(s, 1 / mu)) @ Vt
        Z2 = soft(Z + Y3 / mu, sparsity / mu)
        gaps = P.T @ Xt - P.T @ Xs @ Z - E, Z - Z1, Z - Z2
        Y1, Y2, Y3 = Y1 + mu * gaps[0], Y2 + mu * gaps[1], Y3 + mu * gaps[2]
        mu = min(growth * mu, 1e6)
        residuals.append([np.abs(gap).max() for gap in gaps])
    return P, np.array(residuals), Z1


def density_divergence(Ys, Yt, square):
    """The integral of (p - q)^2 over that of one kernel squared, pair by pair."""
    d = Ys.shape[1]

    def gauss(a, b):
        return np.exp(-np.sum((a - b) ** 2) / (4 * square)) / (4 * np.pi * square) ** (d / 2)

    def mean(A, B):
        return np.mean([gauss(a, b) for a in A for b in B])

    return (mean(Ys, Ys) + mean(Yt, Yt) - 2 * mean(Ys, Yt)) * (4 * np.pi * square) ** (d / 2)


def kernel_ridge(A, y, B, n_classes, gamma=1.0, ridge=0.1):
    """Scores of B by kernel ridge regression on A, both with rows of unit length."""
    A, B = unit(A), unit(B)
    K = kernel_matrix(A, "rbf", gamma)
    F = np.linalg.inv(K + ridge * np.eye(len(A))) @ np.eye(n_classes)[y]
    return np.exp(-gamma * cdist(B, A, "sqeuclidean")) @ F


def cosine_laplacian(U, n_neighbors):
    """I - D^-1/2 W D^-1/2 of the most similar rows and the row itself; the first of equal ones, no negative weights."""
    n = len(U)
    cosines = U @ U.T
    W = np.zeros((n, n))
    for i in range(n):
        others = [j for j in np.argsort(-np.round(cosines[i], 12), kind="stable") if j != i][:n_neighbors]
        W[i, others] = np.maximum(cosines[i, others], 0)
        W[i, i] = cosines[i, i]
    W = np.maximum(W, W.T)
    degree = np.where(W.sum(axis=1) > 0, W.sum(axis=1), 1)
    return np.eye(n) - W / np.sqrt(np.outer(degree, degree))


def graph_ridge(Us, ys, Ut, yt, *, mu=0.5, alignment=10.0, ridge=0.1, smoothness=1.0, n_neighbors=10):
    """Scores of all samples: ((E + alignment M + smoothness L) K + ridge I)^-1 E Y, times K."""
    n_source, n_target, n_classes = len(Us), len(Ut), ys.max() + 1
    U = unit(np.vstack([Us, Ut]))
    n = n_source + n_target
    K = kernel_matrix(U, "rbf", 0.5)
    E = np.diag(np.arange(n) < n_source).astype(float)
    Y = np.zeros((n, n_classes))
    Y[np.arange(n_source), ys] = 1
    M = mmd_matrix(ys, yt, n_target, n_classes, (1 - mu) * n_classes, mu)
    penalty = E + alignment * M / np.linalg.norm(M) + smoothness * cosine_laplacian(U, n_neighbors)
    return K @ np.linalg.solve(penalty @ K + ridge * np.eye(n), E @ Y)


def graph_rounds(Us, ys, Ut, rounds, **settings):
    """Labels of the target after each round, beginning with the nearest neighbour's."""
    yt = ys[nearest(unit(Us), unit(Ut))]
    history = []
    for _ in range(rounds):
        yt = graph_ridge(Us, ys, Ut, yt, **settings)[len(Us) :].argmax(axis=1)
        history.append(yt)
    return history


def geodesic_features(Xs, Xt, d):
    """Both domains times the symmetric root of the geodesic flow kernel, as the paper writes it in three blocks."""
    source, target = (np.linalg.svd(X - X.mean(axis=0))[2][:d].T for X in (Xs, Xt))
    U, cosines, Vt = np.linalg.svd(source.T @ target)
    angles = np.arccos(cosines)
    bases = np.hstack([source @ U, (target @ Vt.T - source @ U * cosines) / np.sin(angles)])
    first, last = (np.diag(0.5 * (1 + sign * np.sin(2 * angles) / (2 * angles))) for sign in (1, -1))
    across = np.diag(0.5 * (1 - np.cos(2 * angles)) / (2 * angles))
    root = linalg.sqrtm(bases @ np.block([[first, across], [across, last]]) @ bases.T).real
    return Xs @ root, Xt @ root


def on_simplex(q):
    """The nearest point of the simplex to q: q less a threshold, found by halving."""
    q = q - q.max()
    low, high = -1.0, 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(q - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(q - (low + high) / 2, 0)


def others_by_distance(X):
    """The other samples of each sample, nearest first, ties by index, and all squared distances."""
    squares = cdist(X, X, "sqeuclidean")
    # Equal samples may differ in the last bits of their projections.
    order = [np.argsort(row, kind="stable") for row in np.round(squares, 10)]
    return [[int(j) for j in row if j != i] for i, row in enumerate(order)], squares


def agecs_graph(X, y, k, tau, width=None):
    """AGE-CS's graph of one domain, a row at a time, and the mean of the rows' widths."""
    n = len(X)
    order, squares = others_by_distance(X)
    S, widths = np.zeros((n, n)), []
    for i in range(n):
        near = order[i][:k]
        if not near:
            widths.append(0.0)
            continue
        d = np.sqrt(squares[i, near])
        b = np.array([float(y[j] == y[i]) for j in near])
        beta = tau
        if len(order[i]) > k:
            beyond = order[i][k]
            b_beyond = float(y[beyond] == y[i])
            if b[-1] != b_beyond:
                beta = -(np.sqrt(squares[i, beyond]) - d[-1]) / (2 * (b[-1] - b_beyond))
        own = (k * d[-1] - d.sum()) / 2 + beta * (b.sum() - k * b[-1]) - beta
        widths.append(own)
        denominator = (own if width is None else width) + beta
        if abs(denominator) < 1e-12:
            denominator = 1e-12
        S[i, near] = on_simplex((-d / 2 + beta * b) / denominator)
    return S, np.mean(widths)


def agecs(Xs, ys, Xt, n_classes, *, k, n_neighbors, mu, locality, tau, smoothing, ridge, rounds):
    """Labels of the target after each round of AGE-CS."""
    X = unit(np.vstack([Xs, Xt]))
    ns, n = len(Xs), len(X)
    n_neighbors = min(n_neighbors, ns - 1, len(Xt) - 1)
    yt = kernel_ridge(X[:ns], ys, X[ns:], n_classes).argmax(axis=1)
    Ss, ws = agecs_graph(X[:ns], ys, n_neighbors, tau)
    St, wt = agecs_graph(X[ns:], yt, n_neighbors, tau)
    history = []
    for _ in range(rounds):
        S = linalg.block_diag(Ss, St)
        S = S + S.T
        degree = S.sum(axis=1)
        degree[degree == 0] = 1
        L = np.eye(n) - S / np.sqrt(np.outer(degree, degree))
        M = mmd_matrix(ys, yt, len(Xt), n_classes, (1 - mu) * n_classes, mu)
        Z = unit(X @ eigenvectors(X, M / np.linalg.norm(M) + locality * L / np.linalg.norm(L), ridge, k))
        yt = kernel_ridge(Z[:ns], ys, Z[ns:], n_classes).argmax(axis=1)
        history.append(yt)
        new_s, ws = agecs_graph(Z[:ns], ys, n_neighbors, tau, ws)
        new_t, wt = agecs_graph(Z[ns:], yt, n_neighbors, tau, wt)
        Ss, St = (1 - smoothing) * Ss + smoothing * new_s, (1 - smoothing) * St + smoothing * new_t
    return history


def cmms_laplacian(S):
    S = (S + S.T) / 2
    L = np.diag(S.sum(axis=1)) - S
    return L / np.linalg.norm(L) if L.any() else L


def cmms(Xs, ys, Xt, first, n_classes, *, k, n_neighbors, alpha, locality, ridge, rounds):
    """Labels of the target after each round of CMMS, which begins with the labels `first`."""
    X = unit(np.vstack([Xs, Xt]))
    ns, nt = len(Xs), len(Xt)
    E = np.eye(n_classes)[ys] / np.bincount(ys)
    Ls = np.eye(ns) - sum(np.outer(ys == c, ys == c) / np.sum(ys == c) for c in range(n_classes))
    Ls = Ls / np.sqrt(max(ns - n_classes, 1))
    n_neighbors = min(n_neighbors, nt - 2)
    S, widths = np.zeros((nt, nt)), []
    order, squares = others_by_distance(X[ns:])
    for i in range(nt) if n_neighbors >= 1 else ():
        near, beyond = order[i][:n_neighbors], squares[i, order[i][n_neighbors]]
        total = n_neighbors * beyond - squares[i, near].sum()
        S[i, near] = (beyond - squares[i, near]) / total if total > 0 else 1 / n_neighbors
        widths.append(total / 2)
    yt, history = first, []
    for _ in range(rounds):
        G = np.eye(n_classes)[yt]
        U = np.diag(1 / (alpha * G.sum(axis=0) + 1))
        R = np.block(
            [
                [E @ (np.eye(n_classes) - U) @ E.T, -alpha * E @ U @ G.T],
                [-alpha * G @ U @ E.T, alpha * np.eye(nt) - alpha**2 * G @ U @ G.T],
            ]
        )
        L = linalg.block_diag(Ls, cmms_laplacian(S)) / np.sqrt(2)
        Z = X @ eigenvectors(X, R / np.linalg.norm(R) + locality * L, ridge, k)
        Z = unit(Z - Z.mean(axis=0))
        yt = nearest(U @ (E.T @ Z[:ns] + alpha * G.T @ Z[ns:]), Z[ns:])
        history.append(yt)
        order, squares = others_by_distance(Z[ns:])
        S = np.zeros((nt, nt))
        for i in range(nt) if n_neighbors >= 1 else ():
            near = order[i][:n_neighbors]
            S[i, near] = on_simplex(-squares[i, near] / (2 * max(np.mean(widths), 1e-12)))
    return history


def spl(Xs, ys, Xt, n_classes, *, k, ridge, rounds, remedy=None):
    """Labels of the target after each round of SPL; `remedy` may change them before the next."""
    X = unit(np.vstack([Xs, Xt]))
    ns, n = len(Xs), len(X)
    X = unit(X @ np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:k].T)
    labels = np.concatenate([ys, np.full(len(Xt), -1)])
    history = []
    for number in range(1, rounds + 1):
        D, W = np.zeros((n, n)), np.zeros((n, n))
        for i in range(n):
            if labels[i] >= 0:
                D[i, i] = np.sum(labels == labels[i])
                W[i] = labels == labels[i]
        Sd = X.T @ D @ X
        Sl = Sd - X.T @ W @ X + ridge * np.eye(X.shape[1])
        P = linalg.eigh(Sd, (Sl + Sl.T) / 2)[1]
        Z = X @ P
        Z = unit(Z - Z.mean(axis=0))
        Zs, Zt = Z[:ns], Z[ns:]
        means = unit(np.array([Zs[ys == c].mean(axis=0) for c in range(n_classes)]))
        centres = means.copy()
        for _ in range(100):
            codes = nearest(centres, Zt)
            for c in range(n_classes):
                if np.any(codes == c):
                    centres[c] = Zt[codes == c].mean(axis=0)
        chances = np.zeros((len(Zt), n_classes))
        for prototypes in (means, unit(centres)):
            e = np.exp(-cdist(Zt, prototypes))
            chances = np.maximum(chances, e / e.sum(axis=1, keepdims=True))
        yt = chances.argmax(axis=1)
        history.append(yt)
        if remedy is not None:
            yt = remedy(Zs, Zt, yt)
        labels[ns:] = -1
        for c in set(yt.tolist()):
            own = np.flatnonzero(yt == c)
            q = sorted(chances[own, c])
            bound = q[len(own) * max(rounds - 1 - number, 0) // (rounds - 1)] if rounds > 1 else q[0]
            for i in own.tolist():
                if chances[i, c] > bound:
                    labels[ns + i] = c
    return history
