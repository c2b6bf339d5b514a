// SPDX-License-Identifier: Apache-2.0
// Softmax and layer norm over one line of contiguous elements. Sums run per tile in vectors and
// continue in double.
#include "softnpu/davinci/kernels/line_loops.h"
#include "softnpu/davinci/kernels/vector_math.h"

namespace npu::davinci::NPU_ISA {
namespace {

template <class T>
void softmax(T* out, const T* in, int64_t n, bool log) {
  using V = Vector<T>;
  V top = splat<V>(in[0]);
  for_vectors<T>(0, n, [&](int64_t i, int lanes) {
    const V v = load_n(in + i, lanes);
    top = maximum(top, lanes_below<V>(lanes) ? v : splat<V>(in[0]));
  });
  T largest = top[0];
  for (int lane = 1; lane < kLanesOf<T>; ++lane) {
    const T x = top[lane];
    if (largest == largest && (x > largest || x != x)) largest = x;
  }
  const double sum = sum_line<T>(n, [&](int64_t i, int lanes) __attribute__((always_inline)) {
    const V e = exponential(load_n(in + i, lanes) - largest);
    if (!log) store_n<T>(out + i, e, lanes);
    return first_lanes<T>(e, lanes);
  });
  if (log) {
    const T shift = static_cast<T>(__builtin_log(sum));
    for_vectors<T>(0, n, [&](int64_t i, int lanes) {
      store_n<T>(out + i, load_n(in + i, lanes) - largest - shift, lanes);
    });
  } else {
    const T divisor = static_cast<T>(sum);
    for_vectors<T>(0, n, [&](int64_t i, int lanes) {
      store_n<T>(out + i, load_n(out + i, lanes) / divisor, lanes);
    });
  }
}

template <class T>
void softmax_backward(T* grad_in, const T* grad_out, const T* out, int64_t n, bool log) {
  if (log) {
    const T sum = static_cast<T>(
        sum_line<T>(n, [&](int64_t i, int lanes) { return load_n(grad_out + i, lanes); }));
    for_vectors<T>(0, n, [&](int64_t i, int lanes) {
      const auto g = load_n(grad_out + i, lanes);
      store_n<T>(grad_in + i, g - exponential(load_n(out + i, lanes)) * sum, lanes);
    });
  } else {
    const T sum = static_cast<T>(sum_line<T>(n, [&](int64_t i, int lanes) {
      return load_n(grad_out + i, lanes) * load_n(out + i, lanes);
    }));
    for_vectors<T>(0, n, [&](int64_t i, int lanes) {
      const auto g = load_n(grad_out + i, lanes);
      store_n<T>(grad_in + i, (g - sum) * load_n(out + i, lanes), lanes);
    });
  }
}

template <class T>
void layer_norm(T* out, const T* in, const T* weight, const T* bias, int64_t n, double epsilon,
                double* mean_out, double* rstd_out) {
  using V = Vector<T>;
  const auto count = static_cast<double>(n);
  const double mean =
      sum_line<T>(n, [&](int64_t i, int lanes) { return load_n(in + i, lanes); }) / count;
  const T center = static_cast<T>(mean);
  const double distances = sum_line<T>(n, [&](int64_t i, int lanes) {
    const V d = load_n(in + i, lanes) - center;
    return first_lanes<T>(d * d, lanes);
  });
  const double shift = mean - static_cast<double>(center);
  const double rstd = 1 / __builtin_sqrt(distances / count - shift * shift + epsilon);
  const T scale = static_cast<T>(rstd);
  for_vectors<T>(0, n, [&](int64_t i, int lanes) {
    V y = (load_n(in + i, lanes) - center) * scale;
    if (weight != nullptr) y *= load_n(weight + i, lanes);
    if (bias != nullptr) y += load_n(bias + i, lanes);
    store_n<T>(out + i, y, lanes);
  });
  *mean_out = mean;
  *rstd_out = rstd;
}

template <class T>
void layer_norm_backward(T* grad_in, T* grad_weight, T* grad_bias, const T* grad_out, const T* in,
                         const T* weight, int64_t n, double mean, double rstd) {
  using V = Vector<T>;
  const T center = static_cast<T>(mean), scale = static_cast<T>(rstd);
  const auto normalized = [&](int64_t i, int lanes) __attribute__((always_inline)) {
    return (load_n(in + i, lanes) - center) * scale;
  };
  const auto weighted = [&](int64_t i, int lanes) __attribute__((always_inline)) {
    const V g = load_n(grad_out + i, lanes);
    return weight == nullptr ? g : g * load_n(weight + i, lanes);
  };
  if (grad_in != nullptr) {
    const auto count = static_cast<double>(n);
    const T a = static_cast<T>(sum_line<T>(n, weighted) / count);
    const T b = static_cast<T>(
        sum_line<T>(
            n, [&](int64_t i, int lanes) { return weighted(i, lanes) * normalized(i, lanes); }) /
        count);
    for_vectors<T>(0, n, [&](int64_t i, int lanes) {
      store_n<T>(grad_in + i, (weighted(i, lanes) - a - normalized(i, lanes) * b) * scale, lanes);
    });
  }
  if (grad_weight != nullptr) {
    for_vectors<T>(0, n, [&](int64_t i, int lanes) {
      const V g = load_n(grad_out + i, lanes);
      store_n<T>(grad_weight + i, load_n(grad_weight + i, lanes) + g * normalized(i, lanes), lanes);
    });
  }
  if (grad_bias != nullptr) {
    for_vectors<T>(0, n, [&](int64_t i, int lanes) {
      store_n<T>(grad_bias + i, load_n(grad_bias + i, lanes) + load_n(grad_out + i, lanes), lanes);
    });
  }
}

}  // namespace

void softmax_line(DType compute, void* out, const void* in, int64_t n, bool log) {
  with_type(compute, [&]<class T>(T) { softmax<T>(in_type<T>(out), in_type<T>(in), n, log); });
}

void softmax_backward_line(DType compute, void* grad_in, const void* grad_out, const void* out,
                           int64_t n, bool log) {
  with_type(compute, [&]<class T>(T) {
    softmax_backward<T>(in_type<T>(grad_in), in_type<T>(grad_out), in_type<T>(out), n, log);
  });
}

void layer_norm_line(DType compute, void* out, const void* in, const void* weight, const void* bias,
                     int64_t n, double epsilon, double* mean, double* rstd) {
  with_type(compute, [&]<class T>(T) {
    layer_norm<T>(in_type<T>(out), in_type<T>(in), in_type<T>(weight), in_type<T>(bias), n, epsilon,
                  mean, rstd);
  });
}

void layer_norm_backward_line(DType compute, void* grad_in, void* grad_weight, void* grad_bias,
                              const void* grad_out, const void* in, const void* weight, int64_t n,
                              double mean, double rstd) {
  with_type(compute, [&]<class T>(T) {
    layer_norm_backward<T>(in_type<T>(grad_in), in_type<T>(grad_weight), in_type<T>(grad_bias),
                           in_type<T>(grad_out), in_type<T>(in), in_type<T>(weight), n, mean, rstd);
  });
}

}  // namespace npu::davinci::NPU_ISA
